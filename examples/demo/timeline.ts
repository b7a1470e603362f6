import { styleText } from 'node:util'
import { systemClock, type Clock } from '@freshread/core'

type Style = Parameters<typeof styleText>[0]

/** Where lines go; a terminal also gets colour and a running clock. */
type Out = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

/** Prints who asked what, what came and after how long: in colour and with a running clock on a terminal, as plain lines elsewhere. */
export class Timeline {
  readonly #out: Out
  readonly #clock: Clock
  readonly #start: number
  #ticker: NodeJS.Timeout | undefined
  readonly #waiting = new Map<string, number>()

  constructor(out: Out = process.stdout, clock: Clock = systemClock) {
    this.#out = out
    this.#clock = clock
    this.#start = clock.now()
  }

  heading(text: string): void {
    this.line(`\n${this.#style('bold', text)}`)
  }

  note(text: string): void {
    this.line(`${this.#stamp()}  ${this.#style('dim', text)}`)
  }

  event(who: string, text: string): void {
    this.line(`${this.#stamp()}  ${this.#style('yellow', who.padEnd(12))} ${text}`)
  }

  /** Runs one request and prints its outcome; `describe` tells what came. An error is an outcome too. */
  async ask<T>(
    who: string,
    what: string,
    request: () => Promise<T>,
    describe: (answer: T) => string,
  ): Promise<T | undefined> {
    const began = this.#clock.now()
    this.line(`${this.#stamp()}  ${this.#style('cyan', who.padEnd(12))} ${what}`)
    this.#waiting.set(`${who} ${what}`, began)
    this.#tick()
    try {
      const answer = await request()
      this.#outcome(who, began, this.#style('green', describe(answer)))
      return answer
    } catch (error) {
      this.#outcome(who, began, this.#style('red', error instanceof Error ? error.message : String(error)))
      return undefined
    } finally {
      this.#waiting.delete(`${who} ${what}`)
      this.#tick()
    }
  }

  #outcome(who: string, began: number, text: string): void {
    this.line(
      `${this.#stamp()}  ${this.#style('cyan', who.padEnd(12))} └─ ${text} ${this.#style('dim', `after ${seconds(this.#clock.now() - began)}`)}`,
    )
  }

  line(text: string): void {
    if (this.#out.isTTY) this.#out.write('\r\u001b[K')
    this.#out.write(`${text}\n`)
  }

  /** The running clock of whoever waits, on a terminal. */
  #tick(): void {
    if (!this.#out.isTTY) return
    clearInterval(this.#ticker)
    if (this.#waiting.size === 0) return void this.#out.write('\r\u001b[K')
    this.#ticker = setInterval(() => {
      const waits = [...this.#waiting].map(([who, began]) => `${who} … ${seconds(this.#clock.now() - began)}`)
      this.#out.write(`\r\u001b[K${this.#style('dim', waits.join('   ').slice(0, (this.#out.columns ?? 80) - 1))}`)
    }, 100)
  }

  #stamp(): string {
    return this.#style('dim', seconds(this.#clock.now() - this.#start).padStart(7))
  }

  #style(style: Style, text: string): string {
    return this.#out.isTTY ? styleText(style, text) : text
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
