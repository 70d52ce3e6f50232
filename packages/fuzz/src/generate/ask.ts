import type { Contract, Operation } from "../contract/Contract.ts"
import type { Asked, Source } from "./Asked.ts"
import { kindOfName } from "./kinds.ts"
import { likelyBodies } from "./likely.ts"
import { likelyOperatorBodies } from "./likelyForOperators.ts"
import { valueOf } from "./values.ts"

const likelyOf: typeof likelyBodies = { ...likelyBodies, ...likelyOperatorBodies }

const bodyOf = (contract: Contract, operation: Operation, source: Source): unknown => {
  if (operation.body === null) return undefined
  const likely = likelyOf[operation.name]
  const byHand = source.random.chance(800)
  if (likely !== undefined && byHand) return likely(source)
  return byHand && operation.example !== undefined ? operation.example : valueOf(contract, operation.body, source)
}

/** Asks for something that an operation can be expected to take, or that its schemas take at least. */
export const ask = (contract: Contract, operation: Operation, source: Source): Asked => {
  const { random } = source
  const path: Record<string, string> = {}
  const query: Array<readonly [string, string]> = []
  for (const { in: place, name, required, schema } of operation.parameters) {
    const kind = kindOfName[name]
    if (place === "path")
      path[name] = kind === undefined ? String(valueOf(contract, schema, source, name)) : source.id(kind)
    else if (required === true || random.chance(250)) {
      const isCursor = name === "cursor" && kind !== undefined
      query.push([name, isCursor ? source.id(kind) : String(valueOf(contract, schema, source, name))])
    }
  }
  return { path, query, body: bodyOf(contract, operation, source) }
}
