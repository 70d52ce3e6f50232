import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import type { Command } from "@bursar/core/engine/Command"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import * as Writer from "@bursar/core/engine/Writer"
import { Operation } from "@bursar/core/operation/Operation"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { awaitsReview } from "@bursar/core/operation/Review"
import { waitsOf } from "@bursar/core/operation/waits"
import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { Payout } from "@bursar/core/payout/Payout"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { makeCancelling } from "@bursar/server/handlers/operator/payouts/cancelling"
import { makeRefuseSigned } from "@bursar/server/handlers/operator/reviews/refuseSigned"
import { Clock, Effect, Layer } from "effect"
import { layerGrantsOf } from "../fleet/ports.ts"
import { layerStored } from "../stored/noting.ts"
import { makeAuthority } from "./authority.ts"
import type { PartnerOfWorld } from "./letIn.ts"
import type { World } from "../world/World.ts"

/** The ports of the operators of a world: nothing goes wrong with them. */
export const layerOffice = ({ desk, noted, state, trust }: Pick<World, "desk" | "noted" | "state" | "trust">) => {
  // where rows decide, the keys are in the workers, and remember nothing
  const signer: Layer.Layer<never> = trust === null ? Layer.empty : Layer.succeed(TransactionSigner, desk.service)
  return Layer.mergeAll(Writer.layer, layerGrantsOf({ trust }), signer).pipe(
    Layer.provideMerge(layerStored({ noted, state }))
  )
}

/** The operations of a partner, oldest first. */
export const operationsOf = ({ state }: Pick<World, "state">, { id }: PartnerOfWorld): ReadonlyArray<Operation> => {
  // under a name stand records of that kind alone
  const all = (state.tenants.get(id)?.records.get(Operation.name) ?? new Map()) as ReadonlyMap<string, Operation>
  return [...all.values()]
}

/** What time does not mend. */
const inVain: ReadonlySet<string> = new Set([
  "source_taken_back",
  "signing_refused",
  "signing_key_revoked",
  "signed_before",
  "not_granted",
  "kept",
  // of a waiting time, or of what other people have granted since, nobody knows the end
  "destination_not_usable"
])

/** Whether no approval helps: the signer goes by what it has and knows, and refuses again. */
const hopeless = ({ kind }: Operation, reason: string | undefined): boolean =>
  kind === "CHAIN_PAYOUT" &&
  (reason === "signing_refused" || reason === "signing_key_revoked" || reason === "signed_before")

/** How long an operator looks at something that waits before it is cancelled. */
const patienceMs = 60_000

/** Operators at their work: they approve and reject, cancel and hasten, stop and let go on. */
export const operate = (world: World, partners: ReadonlyArray<PartnerOfWorld>) => {
  const { bank, config, currencies, faults, note, records, trust } = world
  const random = world.random.for("office")

  const submit = <A>({ id }: PartnerOfWorld, command: Command<A>) =>
    Effect.flatMap(Writer.Writer, (writer) => Effect.ignore(writer.submit(id, command)))

  const authority = trust === null ? undefined : makeAuthority(world, trust)

  const payoutOf = Effect.fnUntraced(function* (partner: PartnerOfWorld, { id }: Operation) {
    const queries = yield* Queries
    const payout = yield* queries.record(partner.id, Payout, id)
    const transactionId = payout?.transactionId ?? null
    const transaction =
      transactionId === null ? undefined : yield* queries.record(partner.id, OutboundTransaction, transactionId)
    return { payout, transaction }
  })

  /**
   * What an operation waits for: a payout says so itself, or its transaction, which stands in the way of all after it: nothing may be signed
   * for it, or what was signed may not be sent, or sent again with a higher fee, since its key was revoked.
   */
  const reasonOf = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    const { payout, transaction } = yield* payoutOf(partner, operation)
    const problem = transaction?.problem ?? null
    const isKept = problem !== null && (transaction?.phase === "RESERVED" || problem.includes("was revoked"))
    const kept = isKept && transaction !== undefined ? { reason: "kept", since: transaction.reservedAt } : undefined
    return { waits: payout?.waits ?? waitsOf(operation) ?? kept ?? null }
  })

  const review = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    const { waits } = yield* reasonOf(partner, operation)
    const verdict = hopeless(operation, waits?.reason) || faults.strikes("operator.rejects") ? "REJECT" : "APPROVE"
    if (verdict === "APPROVE") records.approved.add(operation.id)
    note(`an operator says ${verdict} of ${operation.id}`)
    if (verdict === "APPROVE" && authority !== undefined) return yield* authority.approve(partner, operation)
    if (verdict === "REJECT") yield* (yield* makeRefuseSigned)(operation, currencies)
    return yield* submit(partner, reviewOperation({ operation, verdict, by: "ann", reason: null, currencies }))
  })

  /** Cancels a payout, once it is known what the signer has signed for it. */
  const cancel = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    const { payout, transaction } = yield* payoutOf(partner, operation)
    if (payout === undefined) return
    const cancelling = yield* makeCancelling
    yield* submit(partner, yield* cancelling({ operation, payout, transaction }, { by: "ann", currencies }))
  })

  /** Ends what waits for something that never comes: a refund of what the bank has taken back, or what the signer will not sign. */
  const endInVain = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    const { waits } = yield* reasonOf(partner, operation)
    if (waits === null || !inVain.has(waits.reason)) return
    if (waits.reason !== "source_taken_back" && (yield* Clock.currentTimeMillis) - waits.since < patienceMs) return
    note(`an operator cancels ${operation.id}, which waits in vain: ${waits.reason}`)
    if (operation.kind === "CHAIN_PAYOUT") yield* Effect.ignore(cancel(partner, operation))
    else yield* submit(partner, cancelOperation({ operation, by: "ann", currencies }))
  })

  /** Two operators write down what the bank says when it is called, where it has told two amounts of what it paid out: that does not end by itself. */
  const resolve = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    const course = bank.taken.find(({ order }) => order.reference === operation.id)
    if (course === undefined) return
    const statement: Statement = {
      outcome: "SETTLED",
      basis: "PROVIDER",
      reference: "a call",
      source: "the bank",
      text: "as the bank has it",
      providerReference: null,
      txHash: null,
      received: course.received,
      networkFee: null
    }
    note(`two operators say what ${operation.id} came to`)
    const writer = yield* Writer.Writer
    const asked = { operation, currencies }
    const resolution = yield* writer.submit(partner.id, proposeResolution({ ...asked, statement, by: "ann" }))
    yield* writer.submit(partner.id, approveResolution({ ...asked, resolution, by: "bob", proof: null }))
  })

  const touch = Effect.fnUntraced(function* (partner: PartnerOfWorld, operation: Operation) {
    const { payout, transaction } = yield* payoutOf(partner, operation)
    if (payout === undefined) return
    if (faults.strikes("operator.cancels", transaction?.phase ?? "waiting")) {
      note(`an operator cancels ${operation.id}`)
      yield* cancel(partner, operation)
    } else if (faults.strikes("operator.expedites", transaction?.phase ?? "waiting")) {
      const request = random.pick(["REBROADCAST", "BUMP"] as const)
      yield* submit(partner, expeditePayout({ payout, transaction, request }))
    }
  })

  const stop = Effect.fnUntraced(function* (partner: PartnerOfWorld) {
    if (!faults.strikes("operator.suspends")) return
    if (authority !== undefined) return yield* authority.suspend(partner)
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
    if (authority !== undefined) return yield* authority.switchOff
    yield* setSwitch(true)
    yield* Effect.sleep(random.below(20_000))
    yield* setSwitch(false)
  })

  const round = Effect.gen(function* () {
    yield* Effect.sleep(1_000 + random.below(6_000))
    for (const partner of partners) {
      for (const operation of operationsOf(world, partner)) {
        if (awaitsReview(operation)) yield* Effect.ignore(review(partner, operation))
        else if (operation.kind === "CHAIN_PAYOUT" && !isOver(operation.status) && random.chance(100))
          yield* Effect.ignore(touch(partner, operation))
        else if (!isOver(operation.status)) yield* Effect.ignore(endInVain(partner, operation))
        else if (operation.status === "SETTLED" && operation.unresolved && operation.details.disputed === true)
          yield* Effect.ignore(resolve(partner, operation))
      }
      yield* stop(partner)
      if (authority === undefined) continue
      yield* authority.stopOnDoubt(partner)
      yield* authority.rotateKey(partner)
    }
    yield* switchOff
    if (authority !== undefined) yield* authority.replaceApprover(partners)
  })

  return Effect.forever(round)
}
