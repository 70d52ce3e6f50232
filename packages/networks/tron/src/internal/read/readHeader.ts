import { Effect } from "effect"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { headerGives } from "./headerHash.ts"
import type { Node } from "../rpc/Node.ts"
import { absent, decoded, inconsistent, type MissingEndpoint, unreachable } from "../rpc/NodeAnswer.ts"
import type { Scope } from "../rpc/Rpc.ts"
import { HeaderAnswer } from "../rpc/wire.ts"

const heightChars = 16

/** The height that a block id begins with. */
const heightOf = (blockId: string): bigint => BigInt(`0x${blockId.slice(0, heightChars)}`)

/** The header of an answer as it came, with the fields that the schema does not know. */
const rawDataOf = (answer: unknown): object => {
  const header: unknown =
    typeof answer === "object" && answer !== null ? Reflect.get(answer, "block_header") : undefined
  const rawData: unknown = typeof header === "object" && header !== null ? Reflect.get(header, "raw_data") : undefined
  return typeof rawData === "object" && rawData !== null ? rawData : {}
}

/** What a header says that contradicts its block id, or undefined. */
const fault = ({ block_header: { raw_data: header }, blockID }: HeaderAnswer, rawData: object): string | undefined => {
  const number = header.number ?? 0
  if (heightOf(blockID) !== BigInt(number)) return `block ${blockID} says that its height is ${number}`
  if (number > 0 && heightOf(header.parentHash) !== BigInt(number - 1)) {
    return `block ${number} says that its parent is ${header.parentHash}`
  }
  if (number > 0 && header.timestamp === undefined) return `block ${number} has no time`
  return headerGives(blockID, rawData) === false ? `the header of block ${blockID} does not give its id` : undefined
}

/** Whether an answer is the node's word for "none". */
export const isEmpty = (answer: unknown): boolean =>
  answer === null || (typeof answer === "object" && Object.keys(answer).length === 0)

/** The header in an answer, checked against itself. An empty answer, the node's word for "none", is `absent`. */
export const headerIn = Effect.fnUntraced(function* (
  doing: string,
  answer: unknown
): Effect.fn.Return<BlockRef, ChainError> {
  if (isEmpty(answer)) return yield* absent(doing, "the node does not know it")
  const header = yield* decoded(doing, HeaderAnswer, answer)
  const wrong = fault(header, rawDataOf(answer))
  if (wrong !== undefined) return yield* inconsistent(doing, wrong)
  const { number = 0, parentHash, timestamp = 0 } = header.block_header.raw_data
  return { number, hash: header.blockID, parentHash, time: timestamp }
})

/** A missing endpoint that every node has counts as no answer. */
export const orUnreachable = <A>(call: Effect.Effect<A, ChainError | MissingEndpoint>): Effect.Effect<A, ChainError> =>
  Effect.catchTag(call, "MissingEndpoint", ({ doing, path }) =>
    Effect.fail(unreachable(doing, `${path}: the node has no such endpoint; check its url`))
  )

/** `getblock` gives a header without its transactions; nodes before java-tron 4.6 have only the full block to give. */
const ask = Effect.fnUntraced(function* (node: Node, doing: string, scope: Scope, at: number | "latest") {
  const full = orUnreachable(
    at === "latest"
      ? node.http.call(doing, scope, "getnowblock", {})
      : node.http.call(doing, scope, "getblockbynum", { num: at })
  )
  if (yield* node.missing.has(scope)) return yield* full
  const body = at === "latest" ? { detail: false } : { id_or_num: String(at), detail: false }
  return yield* Effect.catchTag(node.http.call(doing, scope, "getblock", body), "MissingEndpoint", () =>
    Effect.andThen(node.missing.note(scope), full)
  )
})

/** A header by height, or the latest of a scope. Fails with `absent` where the node has none. */
export const readHeader = Effect.fn("TronReader.readHeader")(function* (
  node: Node,
  scope: Scope,
  at: number | "latest"
): Effect.fn.Return<BlockRef, ChainError> {
  const doing = `read ${scope === "wallet" ? "" : "solidified "}header ${at}`
  const header = yield* headerIn(doing, yield* ask(node, doing, scope, at))
  if (typeof at === "number" && header.number !== at) {
    return yield* inconsistent(doing, `the node answered with block ${header.number}`)
  }
  return header
})

/** The latest header of a scope. A node always has one, so an empty answer contradicts itself. */
export const latestOf = (node: Node, scope: Scope): Effect.Effect<BlockRef, ChainError> =>
  Effect.mapError(readHeader(node, scope, "latest"), (error) =>
    error.reason === "absent" ? inconsistent(error.doing, error.detail) : error
  )
