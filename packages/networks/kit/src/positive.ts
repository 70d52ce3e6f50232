/** Throws unless a value is absent or a whole number of at least `minimum`: a mistake in the configuration. */
export const atLeast = (minimum: number, name: string, value: number | undefined): void => {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= minimum)) {
    const expected = minimum === 1 ? "above 0" : `of at least ${minimum}`
    throw new Error(`${name} must be a whole number ${expected}`)
  }
}

/** Throws unless a value is absent or a whole number above 0: a mistake in the configuration. */
export const positive = (name: string, value: number | undefined): void => atLeast(1, name, value)
