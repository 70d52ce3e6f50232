/** Throws unless the value is a whole number above 0: a mistake of the configuration. */
export const positive = (name: string, value: number): void => {
  if (!(Number.isSafeInteger(value) && value > 0)) throw new Error(`${name} must be a whole number above 0`)
}
