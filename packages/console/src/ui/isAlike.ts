import { isValidElement } from "react"

/** Whether two parts of a page show the same: the same components with the same data. */
export const isAlike = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true
  if (isValidElement(one) && isValidElement(other)) return one.type === other.type && isAlike(one.props, other.props)
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  const [ours, theirs] = [Object.entries(one), new Map<string, unknown>(Object.entries(other))]
  return (
    ours.length === theirs.size && ours.every(([name, value]) => theirs.has(name) && isAlike(value, theirs.get(name)))
  )
}
