const quote = 0x22
const backslash = 0x5c
/** What stands before each value but the first: a comma, or the opening of an object or an array. */
const openers: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b])

/**
 * Whether a JSON text holds more than `max` values, told without parsing it. Every value that breaks a schema is a finding
 * to write down, so a small body of nothing but such values can keep a process busy for seconds.
 */
export const holdsMoreValuesThan = (text: string, max: number): boolean => {
  // A value takes two characters at least, its separator included.
  if (text.length < 2 * max) return false
  let count = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) quoted = !quoted
    else if (quoted && code === backslash) index += 1
    else if (!quoted && openers.has(code)) {
      count += 1
      if (count > max) return true
    }
  }
  return false
}
