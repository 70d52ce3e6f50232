import type { Change } from "@bursar/core/engine/Change"
import type { Command } from "@bursar/core/engine/Command"
import type { RecordPut } from "@bursar/core/engine/Records"
import type { View } from "@bursar/core/engine/View"
import { Writer } from "@bursar/core/engine/Writer"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import { Tenants } from "@bursar/core/port/Tenants"
import { WatchState } from "@bursar/core/store/WatchState"
import { Effect, Layer, Result } from "effect"
import { type ActionChange, noteChanges } from "./actionChanges.ts"
import { sameValues } from "./actionValues.ts"

/** What a record was before a command put it; null where the command did not read it. */
const before = (view: View, { of, record }: RecordPut): unknown => {
  try {
    return view.get(of, of.key(record)) ?? null
  } catch {
    return null
  }
}

const changeOf = (view: View, change: Change): ReadonlyArray<ActionChange> => {
  switch (change._tag) {
    case "RecordPut": {
      const { of, record } = change
      return [{ record: of.name, key: of.text(of.key(record)), before: before(view, change), after: record }]
    }
    case "TenantPut":
      return [{ record: "Tenant", key: view.tenant.id, before: view.tenant, after: change.tenant }]
    case "Posted":
      return [{ record: "Posting", key: change.operationId, before: null, after: change.legs }]
    case "Scheduled":
      return [{ record: "Job", key: `${change.queue} ${change.key}`, before: null, after: { dueAt: change.dueAt } }]
    default:
      return []
  }
}

/** A command that tells what it has changed, in its last run: a commit may run it more than once. */
const watched = <A>(command: Command<A>) => {
  let changed: ReadonlyArray<ActionChange> = []
  const watching: Command<A> = {
    ...command,
    decide: (view) => {
      const decided = command.decide(view)
      changed = Result.isFailure(decided)
        ? []
        : decided.success.changes
            .flatMap((change) => changeOf(view, change))
            .filter((one) => !sameValues(one.before, one.after))
      return decided
    }
  }
  return { watching, changed: () => changed }
}

const writer = Layer.effect(
  Writer,
  Effect.map(Writer, ({ submit }) =>
    Writer.of({
      submit: (tenantId, command) =>
        Effect.suspend(() => {
          const { changed, watching } = watched(command)
          return Effect.tap(submit(tenantId, watching), () => noteChanges(changed()))
        })
    })
  )
)

const tenants = Layer.effect(
  Tenants,
  Effect.map(Tenants, (port) =>
    Tenants.of({
      ...port,
      create: (tenant) =>
        Effect.tap(port.create(tenant), (isNew) =>
          isNew ? noteChanges([{ record: "Tenant", key: tenant.id, before: null, after: tenant }]) : Effect.void
        )
    })
  )
)

const quarantine = Layer.effect(
  Quarantine,
  Effect.map(Quarantine, (port) =>
    Quarantine.of({
      ...port,
      end: Effect.fnUntraced(function* (which, end) {
        const ended = yield* port.end(which, end)
        const key = `${which.network}:${which.blockHash}:${which.txHash}`
        yield* noteChanges([{ record: "Quarantine", key, before: null, after: end }])
        return ended
      }),
      order: (order) =>
        Effect.tap(port.order(order), () =>
          noteChanges([{ record: "BlockOrder", key: `${order.network}:${order.number}`, before: null, after: order }])
        ),
      withdraw: ({ kind, network, number }) =>
        Effect.tap(port.withdraw({ kind, network, number }), (isWithdrawn) =>
          isWithdrawn
            ? noteChanges([{ record: "BlockOrder", key: `${network}:${number}`, before: { kind }, after: null }])
            : Effect.void
        )
    })
  )
)

const watchState = Layer.effect(
  WatchState,
  Effect.map(WatchState, (port) =>
    WatchState.of({
      ...port,
      endBackfill: (job, end) =>
        Effect.tap(port.endBackfill(job, end), (ended) =>
          ended === undefined
            ? Effect.void
            : noteChanges([{ record: "Backfill", key: job.id, before: { ended: null }, after: ended }])
        )
    })
  )
)

const heldArrivals = Layer.effect(
  HeldArrivals,
  Effect.map(HeldArrivals, (port) =>
    HeldArrivals.of({
      ...port,
      decide: (which, decision) =>
        Effect.tap(port.decide(which, decision), (result) =>
          noteChanges([
            {
              record: "HeldArrival",
              key: `${which.network}:${which.blockHash}:${which.txHash}:${which.transferIndex}`,
              before: null,
              after: { ...decision, result }
            }
          ])
        )
    })
  )
)

const solvency = Layer.effect(
  SolvencyStore,
  Effect.map(SolvencyStore, (port) =>
    SolvencyStore.of({
      ...port,
      add: (snapshot) => {
        const { environment, id, takenAt, takenBy } = snapshot
        const after = { environment, takenAt, takenBy }
        return Effect.tap(port.add(snapshot), () =>
          noteChanges([{ record: "SolvencySnapshot", key: id, before: null, after }])
        )
      },
      publish: (id, published) =>
        Effect.tap(port.publish(id, published), (stored) =>
          // one that is published stays as it was
          stored?.published?.at === published.at
            ? noteChanges([{ record: "SolvencySnapshot", key: id, before: { published: null }, after: { published } }])
            : Effect.void
        )
    })
  )
)

const deliveries = Layer.effect(
  Deliveries,
  Effect.map(Deliveries, (port) =>
    Deliveries.of({
      ...port,
      replay: (tenantId, endpointId, from, to, now) =>
        Effect.tap(port.replay(tenantId, endpointId, from, to, now), (queued) =>
          noteChanges([{ record: "WebhookDelivery", key: endpointId, before: null, after: { from, to, queued } }])
        ),
      resend: (tenantId, endpointId, eventId, now) =>
        Effect.tap(port.resend(tenantId, endpointId, eventId, now), (isQueued) => {
          const after = { from: eventId, to: eventId, queued: isQueued ? 1 : 0 }
          return noteChanges([{ record: "WebhookDelivery", key: endpointId, before: null, after }])
        })
    })
  )
)

/** The ports through which operators' actions change something: each tells the record of the action what it was, and what it is now. */
export const auditedPorts = Layer.mergeAll(writer, tenants, quarantine, watchState, heldArrivals, solvency, deliveries)
