/** Words that mean something else in beancount. */
const words: ReadonlySet<string> = new Set(["TRUE", "FALSE", "NULL"])

/**
 * The name of a currency in beancount: its code, unless beancount does not take that. A name there ends with a letter or a digit and is no
 * word of its own: otherwise the last character is written by its code, `FOO_` as `FOO-X5F`. No two currencies have one name.
 */
export const toBeancountCommodity = (code: string): string =>
  code.endsWith("_") || words.has(code)
    ? code.replace(/.$/u, (last) => `-X${last.charCodeAt(0).toString(16).toUpperCase()}`)
    : code

/** The code of the currency that has a name in beancount. */
export const fromBeancountCommodity = (name: string): string =>
  name.replace(/-X([0-9A-F]+)$/u, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
