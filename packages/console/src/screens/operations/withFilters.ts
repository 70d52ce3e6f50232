/** A moment as a field for local time has it. */
export const localOf = (text: string): string => {
  const at = Date.parse(text)
  if (Number.isNaN(at)) return ""
  const offset = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offset).toISOString().slice(0, 16)
}

/** An address with some filters as a form has them: an empty one is taken out, and a moment that the form shows without its seconds stays as it was. */
export const withFilters = (
  before: URLSearchParams,
  touched: Iterable<readonly [name: string, value: string]>
): URLSearchParams => {
  const params = new URLSearchParams(before)
  for (const [name, text] of touched) {
    const value = text.trim()
    if (value === "") params.delete(name)
    else if (!name.startsWith("created_")) params.set(name, value)
    else if (localOf(before.get(name) ?? "") !== value) params.set(name, new Date(value).toISOString())
  }
  return params
}
