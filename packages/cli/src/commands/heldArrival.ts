import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { heldPaysText, readHeldPays } from "./heldPays.ts"
import { connect, connectionFlags, given } from "./operator.ts"
import { pageAsked, pageFlags, tellMore } from "./paging.ts"
import { printRecord, printRows } from "./print.ts"

const list = Command.make(
  "held",
  {
    ...connectionFlags,
    network: Flag.String("network").pipe(Flag.withDescription("Only this network"), Flag.optional),
    all: Flag.Boolean("all").pipe(Flag.withDescription("Also ended ones"), Flag.withDefault(false)),
    ...pageFlags
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const query = { open: !options.all, ...given("network", options.network), ...pageAsked(options) }
    const { arrivals, next_cursor } = yield* client["held-arrivals"].list({ query })
    const rows = arrivals.map((one) => ({
      network: one.network,
      transaction: one.tx_hash,
      index: one.transfer_index,
      "block hash": one.block_hash,
      tenant: one.tenant_id,
      pays: heldPaysText(one),
      state: one.outcome ?? one.state,
      since: one.since,
      said: one.said.map(({ node, says }) => `${node}: ${says}`).join("; "),
      accepted: one.accepted_by ?? "",
      because: one.acceptance_reason ?? ""
    }))
    yield* printRows(options.json, options.json ? arrivals : rows, "Nothing is held.")
    yield* tellMore(next_cursor)
  })
).pipe(Command.withDescription("List arrivals that are not credited because nodes of two operators do not agree"))

const which = {
  ...connectionFlags,
  network: Argument.String("network").pipe(Argument.withDescription("Such as base")),
  transaction: Argument.String("transaction").pipe(Argument.withDescription("The transaction's hash")),
  blockHash: Argument.String("block-hash").pipe(Argument.withDescription("The hash of its block")),
  index: Flag.Int("index").pipe(Flag.withDescription("The place of the transfer in it"), Flag.withDefault(0)),
  reason: Flag.String("reason").pipe(Flag.withDescription("What you have seen elsewhere, which operators see")),
  pays: Flag.String("pays").pipe(
    Flag.withDescription(
      'What `bursar network held` has shown you that it pays: "<units> <currency> to <address>"; refused if it pays something else by then'
    )
  )
}

/** What is decided about, with what it has been seen to pay: a node that lies no more, or begins to, changes the record. */
const decisionOf = Effect.fnUntraced(function* (options: {
  readonly blockHash: string
  readonly index: number
  readonly network: string
  readonly pays: string
  readonly reason: string
  readonly transaction: string
}) {
  const { blockHash, index, network, reason, transaction } = options
  const pays = readHeldPays(options.pays)
  if (pays === undefined)
    return yield* new CommandFailed({
      message: 'Say with --pays what it pays, as `bursar network held` shows it: "12500000 USDT_ETH to 0x…".'
    })
  return {
    params: { network },
    payload: { tx_hash: transaction, transfer_index: index, block_hash: blockHash, pays, reason }
  }
})

const accept = Command.make(
  "accept-held",
  which,
  Effect.fn(function* (options) {
    const decision = yield* decisionOf(options)
    const client = yield* connect(options)
    yield* printRecord(options.json, yield* client["held-arrivals"].accept(decision))
  })
).pipe(
  Command.withDescription(
    "Credit a held arrival by your own evidence, once two operators have accepted it; refused if it pays something else by then"
  )
)

const refuse = Command.make(
  "refuse-held",
  which,
  Effect.fn(function* (options) {
    const decision = yield* decisionOf(options)
    const client = yield* connect(options)
    yield* printRecord(options.json, yield* client["held-arrivals"].refuse(decision))
  })
).pipe(
  Command.withDescription(
    "Refuse a held arrival: it is never credited in this block; your word counts for nothing if it pays something else by then"
  )
)

/** The commands of `bursar network …` for what nodes of two operators do not agree on. */
export const heldArrivalCommands = [list, accept, refuse] as const
