import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import type { Command } from "@bursar/core/engine/Command"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import * as Writer from "@bursar/core/engine/Writer"
import { Operation } from "@bursar/core/operation/Operation"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { awaitsReview } from "@bursar/core/operation/Review"
import { waitsOf } from "@bursar/core/operation/waits"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { Payout } from "@bursar/core/payout/Payout"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { layerOver } from "@bursar/memory"
import { Effect, Layer } from "effect"
import type { PartnerOfWorld } from "./letIn.ts"
import type { World } from "../world/World.ts"

/** The ports of the operators of a world: nothing goes wrong with them. */
export const layerOffice = ({ state }: Pick<World, "state">) => Writer.layer.pipe(Layer.provideMerge(layerOver(state)))

/** The operations of a partner, oldest first. */
export const operationsOf = ({ state }: Pick<World, "state">, { id }: PartnerOfWorld): ReadonlyArray<Operation> => {
  // under a name stand records of that kind alone
  const all = (state.tenants.get(id)?.records.get(Operation.name) ?? new Map()) as ReadonlyMap<string, Operation>
  return [...all.values()]
}

/** Operators at their work: they approve and reject, cancel and hasten, stop and let go on. */
export const operate = (world: World, partners: ReadonlyArray<PartnerOfWorld>) => {
  const { config, currencies, faults, note, records } = world
  const random = world.random.for("office")

  const submit = <A>({ id }: PartnerOfWorld, command: Command<A>) =>
    Effect.flatMap(Writer.Writer, (writer) => Effect.ignore(writer.submit(id, command)))

  const review = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    const verdict = faults.strikes("operator.rejects") ? "REJECT" : "APPROVE"
    if (verdict === "APPROVE") records.approved.add(operation.id)
    note(`an operator says ${verdict} of ${operation.id}`)
    yield* submit(partner, reviewOperation({ operation, verdict, by: "ann", reason: null, currencies }))
  })

  /** Ends a refund of something that the bank has taken back: it can never be sent. */
  const endInVain = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    if (waitsOf(operation)?.reason !== "source_taken_back") return
    note(`an operator cancels ${operation.id}, which waits in vain`)
    yield* submit(partner, cancelOperation({ operation, by: "ann", currencies }))
  })

  const touch = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    const queries = yield* Queries
    const payout = yield* queries.record(partner.id, Payout, operation.id)
    if (payout === undefined) return
    const transaction =
      payout.transactionId === null
        ? undefined
        : yield* queries.record(partner.id, OutboundTransaction, payout.transactionId)
    if (faults.strikes("operator.cancels", transaction?.phase ?? "waiting")) {
      note(`an operator cancels ${operation.id}`)
      yield* submit(partner, cancelPayout({ payout, transaction, by: "ann", currencies }))
    } else if (faults.strikes("operator.expedites", transaction?.phase ?? "waiting")) {
      const request = random.pick(["REBROADCAST", "BUMP"] as const)
      yield* submit(partner, expeditePayout({ payout, transaction, request }))
    }
  })

  const stop = Effect.fnUntraced(function* (partner: PartnerOfWorld) {
    if (!faults.strikes("operator.suspends")) return
    note(`partner ${partner.index} is suspended`)
    yield* submit(partner, setTenantStatus("SUSPENDED"))
    yield* Effect.sleep(random.below(20_000))
    yield* submit(partner, setTenantStatus("ACTIVE"))
    note(`partner ${partner.index} is active again`)
  })

  const setSwitch = Effect.fnUntraced(function* (payoutsOff: boolean) {
    const writer = yield* Writer.Writer
    note(`payouts are ${payoutsOff ? "off" : "on"}`)
    const reason = payoutsOff ? "as the seed has it" : null
    yield* Effect.ignore(writer.submit(fleetTenantId, switchNetwork(config.network, reason, "ann")))
  })

  const switchOff = Effect.gen(function* () {
    if (!faults.strikes("operator.switches_off")) return
    yield* setSwitch(true)
    yield* Effect.sleep(random.below(20_000))
    yield* setSwitch(false)
  })

  const round = Effect.gen(function* () {
    yield* Effect.sleep(1_000 + random.below(6_000))
    for (const partner of partners) {
      for (const operation of operationsOf(world, partner)) {
        if (awaitsReview(operation)) yield* review(partner, operation)
        else if (operation.kind === "CHAIN_PAYOUT" && !isOver(operation.status) && random.chance(100))
          yield* Effect.ignore(touch(partner, operation))
        else if (!isOver(operation.status)) yield* endInVain(partner, operation)
      }
      yield* stop(partner)
    }
    yield* switchOff
  })

  return Effect.forever(round)
}
