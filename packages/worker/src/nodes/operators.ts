import type { ChainReader } from "@bursar/core/port/Chain"

/** A node of a network among the others, and who runs it. */
export interface OperatedNode {
  /** Its place in the list, and its operator where one is named. */
  readonly name: string
  /** Who runs it; undefined where nobody is named. */
  readonly operator: string | undefined
  /** Its place among the nodes of the network. */
  readonly index: number
}

/** The name of a node, for operators. */
export const nodeName = (index: number, count: number, operator: string | undefined): string =>
  `node ${index + 1} of ${count}${operator === undefined ? "" : ` (${operator})`}`

/** The nodes by who runs them, in order of preference. Those of nobody in particular are left out: nothing tells them apart. */
export const byOperator = (
  operators: ReadonlyArray<string | undefined>
): ReadonlyMap<string, ReadonlyArray<OperatedNode>> => {
  const nodes = operators.map((operator, index) => ({
    name: nodeName(index, operators.length, operator),
    operator,
    index
  }))
  const found = new Map<string, Array<OperatedNode>>()
  for (const node of nodes) {
    if (node.operator === undefined) continue
    const own = found.get(node.operator) ?? []
    found.set(node.operator, own)
    own.push(node)
  }
  return found
}

/** Several readers of one network at least. */
export type Readers = readonly [ChainReader, ...ReadonlyArray<ChainReader>]
