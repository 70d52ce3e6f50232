import type { OperatorNetwork } from "@bursar/api/operator/OperatorNetwork"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { heldArrivalCommands } from "./heldArrival.ts"
import { connect, connectionFlags, given, proposing } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"
import { quarantineCommands } from "./quarantine.ts"
import { stoppedAtFlag } from "./stoppedAtFlag.ts"

const row = ({
  enabled,
  explorer: _explorer,
  network: name,
  nodes: _nodes,
  payouts_enabled,
  payouts_off_reason,
  payouts_switched_at: at,
  payouts_switched_by,
  ...read
}: OperatorNetwork) => ({
  network: name,
  node: enabled ? "yes" : "no",
  ...read,
  payouts: payouts_enabled
    ? "on"
    : `off${at === null ? "" : ` since ${at}`}${payouts_switched_by === null ? "" : ` by ${payouts_switched_by}`}: ${payouts_off_reason}`
})

const list = Command.make(
  "list",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { networks: all } = yield* client.health.networks()
    yield* printRows(options.json, options.json ? all : all.map(row), "No network is switched on.")
  })
).pipe(Command.withDescription("Show how far each network was read, and any problem"))

const nodes = Command.make(
  "nodes",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const all = (yield* client.health.networks()).networks.flatMap(({ network: name, nodes: asked }) =>
      asked.map((node) => ({ network: name, ...node }))
    )
    yield* printRows(options.json, all, "No network is read with a node.")
  })
).pipe(Command.withDescription("Show how each node did in the last hour: how often it was asked, and failed"))

const network = Argument.String("network").pipe(Argument.withDescription("Such as tron"))

const stopPayouts = Command.make(
  "stop-payouts",
  {
    ...connectionFlags,
    network,
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which operators see"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const params = { network: options.network }
    yield* printRecord(options.json, yield* client.health.stopPayouts({ params, payload: { reason: options.reason } }))
  })
).pipe(Command.withDescription("Stop chain payouts on a network, for all tenants and at once"))

const resumePayouts = Command.make(
  "resume-payouts",
  { ...connectionFlags, ...stoppedAtFlag, network },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { orProposed } = yield* proposing
    const request = client.health.resumePayouts({
      params: { network: options.network },
      query: given("stopped_at", options.stoppedAt)
    })
    yield* printRecord(options.json, yield* orProposed(client)(request))
  })
).pipe(Command.withDescription("Resume chain payouts that an operator has stopped"))

/** `bursar network …` */
export const networkCommand = Command.make("network").pipe(
  Command.withDescription("The networks"),
  Command.withSubcommands([list, nodes, stopPayouts, resumePayouts, ...quarantineCommands, ...heldArrivalCommands])
)
