import { Schema } from "effect"
import type { Moved, Traced } from "./Traced.ts"
import { Address } from "../rpc/wire.ts"

/**
 * A tracer of geth's kind (`enter`, `exit`, `result`), for clients that run it as geth does (`tryTracer`). It lists the coin that calls
 * have moved and nothing else, so its answer is bounded by gas (a call with value costs 9,000) and not by the calldata that calls
 * hand on. What a call does is dropped when that call ends with an error.
 *
 * A call must come from the account whose code is running, else the trace is `impossible`: clients exist that tell of a SELFDESTRUCT by
 * repeating the call that ended so.
 */
export const moveTracer = `{
  moves: [],
  starts: [],
  running: [],
  fromRoot: null,
  impossible: false,
  enter: function (frame) {
    var kind = frame.getType()
    var from = toHex(frame.getFrom())
    var to = toHex(frame.getTo())
    var depth = this.running.length
    var context = depth === 0 ? this.fromRoot : this.running[depth - 1]
    if (context === null && depth === 0) this.fromRoot = context = from
    var borrowed = kind === "DELEGATECALL" || kind === "CALLCODE"
    if (!borrowed && context !== from) this.impossible = true
    this.starts.push(this.moves.length)
    this.running.push(borrowed ? context : to)
    if (kind !== "CALL" && kind !== "CREATE" && kind !== "CREATE2" && kind !== "SELFDESTRUCT") return
    var value = frame.getValue()
    if (value === undefined || value == 0) return
    this.moves.push(from + " " + to + " " + value.toString(16))
  },
  exit: function (result) {
    var start = this.starts.pop()
    this.running.pop()
    if (result.getError() !== undefined) this.moves.length = start
  },
  fault: function () {},
  result: function (context) {
    var to = context.to === undefined ? null : toHex(context.to)
    return {
      from: toHex(context.from),
      to: to,
      value: context.value === undefined ? "0" : context.value.toString(16),
      failed: context.error !== undefined,
      impossible: this.impossible || (this.fromRoot !== null && this.fromRoot !== to),
      moves: this.moves
    }
  }
}`

const digits = /^[0-9a-f]{1,64}$/u

const Answer = Schema.Struct({
  from: Address,
  to: Schema.NullOr(Address),
  value: Schema.String.check(Schema.isPattern(digits)),
  failed: Schema.Boolean,
  impossible: Schema.Boolean,
  moves: Schema.Array(Schema.String)
})

const isAnswer = Schema.is(Answer)
const move = /^(0x[0-9a-f]{40}) (0x[0-9a-f]{40}) ([0-9a-f]{1,64})$/iu

/** Reads what the tracer says of a transaction; undefined where it is malformed or has seen calls that cannot be. */
export const readMoves = (answer: unknown): Traced | undefined => {
  if (!isAnswer(answer) || answer.impossible) return undefined
  const moves: Array<Moved> = []
  for (const text of answer.moves) {
    const [, from, to, units] = move.exec(text) ?? []
    if (from === undefined || to === undefined || units === undefined) return undefined
    moves.push({ from, to, units: BigInt(`0x${units}`) })
  }
  const { failed, from, to, value } = answer
  return { from, to, value: BigInt(`0x${value}`), failed, moves }
}
