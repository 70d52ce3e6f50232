import type { Command } from "@bursar/core/engine/Command"
import type { AnyRecord, SharedFact } from "@bursar/core/engine/Records"
import { Storage } from "@bursar/core/engine/Storage"
import { Tenants } from "@bursar/core/port/Tenants"
import type { Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import type { View } from "@bursar/core/engine/View"
import { layerOver, type State } from "@bursar/memory"
import { Effect, type Exit, Layer, Result } from "effect"

/** A commit as a storage made it: what it was asked, what the commands saw of the facts that others store, and what it answered. */
export interface NotedCommit {
  readonly _tag: "Commit"
  readonly tenantId: TenantId
  readonly commands: ReadonlyArray<Command<unknown>>
  /** By `factKey`. */
  readonly facts: ReadonlyMap<string, unknown>
  readonly now: number
  /** The moment of the batch. */
  moment: number
  /** The ids that it took, in order. */
  readonly ids: ReadonlyArray<string>
  /** The kinds of which its commands have put records. */
  readonly kinds: Set<AnyRecord>
  /** Undefined where the storage has refused all of it. */
  replies: ReadonlyArray<Exit.Exit<unknown, unknown>> | undefined
}

/** What a storage was asked to write, in the order in which it did. */
export type Noted = NotedCommit | { readonly _tag: "Tenant"; readonly tenant: Tenant }

/** What is done with each. */
export type Note = (one: Noted) => void

/** The name of a fact of a key among all facts. */
export const factKey = (of: SharedFact<unknown>, key: string): string => `${of.name}|${key}`

/** The command, watched for when it is decided, which facts it sees and what it puts. */
const watched = <A>(
  command: Command<A>,
  seen: () => { readonly facts: Map<string, unknown>; readonly kinds: Set<AnyRecord> }
): Command<A> => ({
  ...command,
  decide: (view) => {
    const { facts, kinds } = seen()
    const watching: View = {
      ...view,
      fact: (of, key) => {
        const value = view.fact(of, key)
        facts.set(factKey(of, key), value)
        return value
      }
    }
    return Result.map(command.decide(watching), (decision) => {
      for (const change of decision.changes) if (change._tag === "RecordPut") kinds.add(change.of)
      return decision
    })
  }
})

const noting = (note: Note): Layer.Layer<Storage | Tenants, never, Storage | Tenants> => {
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, ({ commit }) =>
      Storage.of({
        commit: (tenantId, commands, context) =>
          Effect.suspend(() => {
            const [facts, ids, kinds] = [new Map<string, unknown>(), new Array<string>(), new Set<AnyRecord>()]
            const noted: NotedCommit = {
              _tag: "Commit",
              tenantId,
              commands,
              facts,
              kinds,
              now: context.now,
              moment: context.now,
              ids,
              replies: undefined
            }
            let isNoted = false
            // the store decides and writes in one go: the first decision says which commit came before which
            const seen = () => {
              if (!isNoted) note(noted)
              isNoted = true
              return { facts, kinds }
            }
            const momentAfter = (lastAt: number) => {
              noted.moment = context.momentAfter?.(lastAt) ?? Math.max(context.now, lastAt)
              return noted.moment
            }
            const newId = () => {
              const id = context.newId()
              ids.push(id)
              return id
            }
            return Effect.tap(
              commit(
                tenantId,
                commands.map((command) => watched(command, seen)),
                { ...context, momentAfter, newId }
              ),
              (replies) => Effect.sync(() => void (noted.replies = replies))
            )
          })
      })
    )
  )
  const tenants = Layer.effect(
    Tenants,
    Effect.map(Tenants, (service) =>
      Tenants.of({
        ...service,
        create: (tenant) =>
          Effect.suspend(() => {
            note({ _tag: "Tenant", tenant })
            return service.create(tenant)
          })
      })
    )
  )
  return Layer.merge(storage, tenants)
}

/** The ports over a store that all processes of a world share; what it is asked to write is noted where somebody wants it. */
export const layerStored = ({ noted, state }: { readonly noted: Note | undefined; readonly state: State }) =>
  noted === undefined ? layerOver(state) : Layer.provideMerge(noting(noted), layerOver(state))

/** The command as it was decided once: facts that others store are as it saw them. */
export const decidedOnce = <A>(command: Command<A>, facts: NotedCommit["facts"]): Command<A> => ({
  ...command,
  reads: command.reads.filter(({ _tag }) => _tag !== "Fact"),
  decide: (view) =>
    command.decide({
      ...view,
      // under the key of a fact stands what it was
      fact: <F>(of: SharedFact<F>, key: string) => (facts.get(factKey(of, key)) ?? of.none) as F
    })
})
