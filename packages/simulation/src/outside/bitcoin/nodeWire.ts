import type { Node } from "@bursar/simulator-bitcoin/Node"
import { type Call, replyOf, run, toCall } from "@bursar/simulator-bitcoin/rpc/dispatch"
import { contextOf } from "@bursar/simulator-bitcoin/rpc/Method"
import type { Random } from "../../kernel/Random.ts"
import type { Faults } from "../Faults.ts"

/** A node as it is reached over the wire. */
export interface NodeWire {
  readonly node: Node
  readonly faults: Faults
  readonly random: Random
  readonly now: () => number
  /** Is told the bytes of each transaction that the node has taken. */
  readonly taken: (hex: string) => void
}

const warmingUp = { error: { code: -28, message: "as the seed has it" } }

/** So often in a thousand a call is one at which a node may be silent: a question of the service takes many. */
const askedPerThousand = 100

const broken = (): Error => new TypeError("fetch failed")

/** What answers the body of a request at a node of bitcoin; calls and answers may get lost. */
export const nodeWire = ({ faults, node, now, random, taken }: NodeWire): ((body: string) => string) => {
  const answered = (call: Call) => {
    if (random.chance(askedPerThousand) && faults.strikes("node.silent", call.method)) throw broken()
    const context = contextOf(node, Math.floor(now() / 1_000), 0, 0)
    if (call.method !== "sendrawtransaction") return run(context, call)
    if (faults.strikes("broadcast.lost")) throw broken()
    if (faults.strikes("broadcast.refused")) return warmingUp
    const outcome = run(context, call)
    const [hex]: ReadonlyArray<unknown> = Array.isArray(call.params) ? call.params : []
    if ("result" in outcome && typeof hex === "string") taken(hex)
    if (faults.strikes("broadcast.unheard")) throw broken()
    return outcome
  }
  const one = (value: unknown) => {
    const call = toCall(value)
    if (call === undefined) throw new Error("this is no call of a node")
    return replyOf(call, answered(call))
  }
  return (body) => {
    const asked: unknown = JSON.parse(body)
    return JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked))
  }
}
