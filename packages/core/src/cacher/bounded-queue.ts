/** A first-in-first-out queue with a bound, which takes no memory while it is empty. */
export class BoundedQueue<I> {
  readonly capacity: number
  #items: (I | undefined)[] = []
  #head = 0

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get length(): number {
    return this.#items.length - this.#head
  }

  get isFull(): boolean {
    return this.length >= this.capacity
  }

  /** Adds an item; the caller has seen that there is room. */
  push(item: I): void {
    this.#items.push(item)
  }

  shift(): I | undefined {
    if (this.#head === this.#items.length) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head === this.#items.length) {
      this.#items.length = 0
      this.#head = 0
    } else if (this.#head >= 32 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  clear(): void {
    this.#items = []
    this.#head = 0
  }
}
