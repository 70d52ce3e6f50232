import { operationStatuses } from "@bursar/core/operation/Operation"

/** A row in which one thing is another, and the path to that. */
export interface Alteration {
  readonly path: string
  readonly row: unknown
}

const otherStatuses = (value: string): ReadonlyArray<unknown> => operationStatuses.filter((status) => status !== value)

const isStatus = (value: string): boolean => operationStatuses.some((status) => status === value)

const leaves = (value: unknown): ReadonlyArray<unknown> => {
  switch (typeof value) {
    case "bigint":
      return [value + 1n]
    case "number":
      return [value + 1]
    case "boolean":
      return [!value]
    case "string":
      return isStatus(value) ? otherStatuses(value) : [`${value}x`]
    default:
      return value === null ? ["x"] : []
  }
}

/** Every way to have one value of a row otherwise: a number one more, a text one letter longer, a list without its last. Paths pass over places in lists. */
export const alterations = (value: unknown): ReadonlyArray<Alteration> => {
  if (Array.isArray(value)) {
    const shorter = value.length === 0 ? [] : [{ path: "", row: value.slice(0, -1) }]
    const inside = value.flatMap((one, at) =>
      alterations(one).map(({ path, row }) => ({ path, row: value.with(at, row) }))
    )
    return [...shorter, ...inside]
  }
  if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value))
    return Object.entries(value).flatMap(([name, one]) =>
      alterations(one).map(({ path, row }) => ({ path: `.${name}${path}`, row: { ...value, [name]: row } }))
    )
  return leaves(value).map((row) => ({ path: "", row }))
}
