const isPlain = /^[\w./:@=<>,+-]+$/u

/** A word as a shell reads it back. */
const quoted = (word: string): string =>
  isPlain.test(word) || word === "<key file>" ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** A command of `bursar` to paste, called as this one was. */
export const commandText = (words: ReadonlyArray<string>): string =>
  [
    process.env["npm_lifecycle_event"] === "bursar" ? "npm run --silent bursar --" : "bursar",
    ...words.map(quoted)
  ].join(" ")
