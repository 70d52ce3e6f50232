const collect = (value: unknown, found: Set<string>): void => {
  if (Array.isArray(value)) return value.forEach((item) => collect(item, found))
  if (typeof value !== "object" || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === "$ref" && typeof inner === "string") found.add(inner)
    collect(inner, found)
  }
}

/** Every `$ref` in a JSON value. */
export const references = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>()
  collect(value, found)
  return found
}

const prefix = "#/components/schemas/"

/** The names of the component schemas that a JSON value reaches, directly or through other schemas. */
export const reachableSchemas = (value: unknown, schemas: Readonly<Record<string, unknown>>): ReadonlySet<string> => {
  const reached = new Set<string>()
  const pending = [value]
  while (pending.length > 0) {
    for (const ref of references(pending.pop())) {
      const name = ref.slice(prefix.length)
      if (!ref.startsWith(prefix) || reached.has(name)) continue
      reached.add(name)
      pending.push(schemas[name])
    }
  }
  return reached
}
