/** What ended before the service was asked: it is certain that nothing changed. */
export class Untouched extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(`${message} Nothing was changed.`)
    this.code = code
  }
}
