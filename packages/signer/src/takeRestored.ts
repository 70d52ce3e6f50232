import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import type { TenantProgress } from "@bursar/core/port/SigningView"
import { Clock, Effect } from "effect"
import type { SignerStore } from "./store/SignerStore.ts"
import { chainName, chainsCut, lostSeal, tenantsBehind } from "./whatIsLost.ts"

const counted = ({ changeSeq, eventId, postingSeq }: TenantProgress): string =>
  `change ${changeSeq}, event ${eventId} and posting ${postingSeq}`

const detailOf = ({ hash, number, toId }: AuditSeal): string =>
  `seal ${number} of the audit log, over records up to ${toId}, the last with the hash ${hash}`

/**
 * Takes a database that was restored as it is, by a person's word: counters, chains of grants and the audit log go on from where they stand
 * now, and the signer signs again. It forgets no request that it has signed for, so nothing is signed twice, and nothing that limits count. Says of each thing what it
 * gave up; gives how many.
 */
export const takeRestored = Effect.fn("takeRestored")(function* (store: SignerStore) {
  const tenants = yield* tenantsBehind(store)
  const cut = yield* chainsCut(store)
  const seal = yield* lostSeal(store)
  yield* store.commit({
    _tag: "Restored",
    at: yield* Clock.currentTimeMillis,
    progress: tenants.map(({ now, tenantId }) => ({ tenantId, now })),
    chains: cut.map(({ tenantId }) => tenantId),
    sealLost: seal !== undefined
  })
  const details = [
    ...tenants.map(
      ({ now, seen, tenantId }) =>
        `tenant ${tenantId} had come to ${counted(seen)}, and is ${now === null ? "gone" : `at ${counted(now)}`}`
    ),
    ...cut.map(({ head, tenantId }) => `${chainName(tenantId)} had grant ${head.number} with the hash ${head.hash}`),
    ...(seal === undefined ? [] : [detailOf(seal)])
  ]
  for (const detail of details) yield* Effect.annotateLogs(Effect.logWarning("signer.gave_up"), { detail })
  yield* Effect.annotateLogs(Effect.logInfo("signer.restored"), { given_up: details.length })
  return details.length
})
