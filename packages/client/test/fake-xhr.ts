/** As much of XMLHttpRequest as axios' xhr adapter needs, over a fetch. */
export function fakeXhr(fetch: (request: Request) => Promise<Response>): new () => unknown {
  return class FakeXhr {
    readyState = 0
    status = 0
    statusText = ''
    responseText = ''
    response: unknown = ''
    responseURL = ''
    responseType = ''
    timeout = 0
    withCredentials = false
    onloadend: (() => void) | undefined
    onerror: ((event: unknown) => void) | undefined
    onabort: (() => void) | undefined
    ontimeout: (() => void) | undefined
    readonly #headers = new Headers()
    readonly #controller = new AbortController()
    #answer: Response | undefined
    #request: [string, string] = ['', '']

    open(method: string, url: string): void {
      this.#request = [method, url]
      this.readyState = 1
    }
    setRequestHeader(name: string, value: string): void {
      this.#headers.set(name, value)
    }
    getAllResponseHeaders(): string {
      return [...this.#answer!.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
    }
    addEventListener(): void {}
    abort(): void {
      this.#controller.abort()
      this.onabort?.()
    }
    async send(body: string | null): Promise<void> {
      const [method, url] = this.#request
      try {
        this.#answer = await fetch(
          new Request(url, { method, headers: this.#headers, body: body ?? null, signal: this.#controller.signal }),
        )
        this.responseText = await this.#answer.text()
      } catch {
        if (!this.#controller.signal.aborted) this.onerror?.({})
        return
      }
      this.response = this.responseText
      this.status = this.#answer.status
      this.responseURL = url
      this.readyState = 4
      this.onloadend?.()
    }
  }
}
