import type { QuarantineEntry } from "@bursar/api/operator/OperatorQuarantine"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { connect, connectionFlags, given } from "./operator.ts"
import { pageAsked, pageFlags, tellMore } from "./paging.ts"
import { printRecord, printRows } from "./print.ts"

const network = Argument.String("network").pipe(Argument.withDescription("Such as base"))
const block = Argument.Int("block").pipe(Argument.withDescription("The block's number"))
const reason = Flag.String("reason").pipe(Flag.withDescription("The reason, which operators see"))

type PossibleGain = NonNullable<QuarantineEntry["gains"]>[number]

const mayHavePaid = ({ across, address, contract, units }: PossibleGain): string =>
  `${units}${contract === null ? "" : ` of ${contract}`} to ${address}${across === "block" ? ", by it or another of its block" : ""}`

const list = Command.make(
  "quarantine",
  {
    ...connectionFlags,
    network: Flag.String("network").pipe(Flag.withDescription("Only this network"), Flag.optional),
    all: Flag.Boolean("all").pipe(Flag.withDescription("Also closed entries"), Flag.withDefault(false)),
    ...pageFlags
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const query = { open: !options.all, ...given("network", options.network), ...pageAsked(options) }
    const { entries, next_cursor } = yield* client.quarantine.list({ query })
    const rows = entries.map((entry) => ({
      network: entry.network,
      block: entry.block_number,
      transaction: entry.tx_hash ?? "(the whole block)",
      "may have paid": entry.gains?.map(mayHavePaid) ?? "not known",
      reason: entry.reason,
      noticed: entry.noticed_at,
      outcome: entry.outcome ?? "open"
    }))
    yield* printRows(options.json, options.json ? entries : rows, "Nothing is in quarantine.")
    yield* tellMore(next_cursor)
  })
).pipe(Command.withDescription("List the transactions that could not be read and may concern a tenant"))

const reread = Command.make(
  "reread",
  {
    ...connectionFlags,
    network,
    block,
    to: Flag.Int("to").pipe(Flag.withDescription("The last block of several, each read again"), Flag.optional)
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const orderOf = (block_number: number) =>
      client.quarantine.rereadBlock({ params: { network: options.network, block_number } })
    if (Option.isNone(options.to)) return yield* printRecord(options.json, yield* orderOf(options.block))
    const [first, last] = [options.block, options.to.value]
    if (last < first) return yield* new CommandFailed({ message: `--to ${last} is below block ${first}` })
    for (let number = first; number <= last; number++) yield* orderOf(number)
    yield* printRecord(options.json, { network: options.network, from: first, to: last, order: "reread" })
  })
).pipe(Command.withDescription("Read a block again in the next pass, or several one after the other"))

const passBlock = Command.make(
  "pass-block",
  { ...connectionFlags, network, block, reason },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const params = { network: options.network, block_number: options.block }
    yield* printRecord(
      options.json,
      yield* client.quarantine.passBlock({ params, payload: { reason: options.reason } })
    )
  })
).pipe(Command.withDescription("Skip a block that cannot be read at all; the whole block goes into quarantine"))

const orders = Command.make(
  "orders",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.quarantine.orders()
    yield* printRows(options.json, found.orders, "No order for a block is waiting.")
  })
).pipe(Command.withDescription("List orders to read blocks again or to skip them that are not carried out yet"))

const withdraw = Command.make(
  "withdraw",
  { ...connectionFlags, network, block },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = (yield* client.quarantine.orders()).orders.find(
      (one) => one.network === options.network && one.block_number === options.block
    )
    if (found === undefined)
      return yield* new CommandFailed({
        message: `No order for block ${options.block} of ${options.network} is waiting.`
      })
    const params = { network: options.network, block_number: options.block }
    yield* printRecord(
      options.json,
      yield* client.quarantine.withdrawOrder({ params, payload: { order: found.order } })
    )
  })
).pipe(Command.withDescription("Take back an order to read a block again or to skip it"))

const passTransaction = Command.make(
  "pass-transaction",
  {
    ...connectionFlags,
    network,
    blockHash: Argument.String("block-hash").pipe(Argument.withDescription("The hash of its block")),
    transaction: Argument.String("transaction").pipe(
      Argument.withDescription("The transaction's hash; the whole block if you omit it"),
      Argument.optional
    ),
    reason
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const payload = {
      block_hash: options.blockHash,
      reason: options.reason,
      ...given("tx_hash", options.transaction)
    }
    yield* printRecord(options.json, yield* client.quarantine.pass({ params: { network: options.network }, payload }))
  })
).pipe(Command.withDescription("Close a quarantine entry without reading the transaction: nothing is credited"))

/** The commands of `bursar network …` for what could not be read. */
export const quarantineCommands = [list, reread, passBlock, orders, withdraw, passTransaction] as const
