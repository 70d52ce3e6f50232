import type { OpenSignature, SigningView } from "@bursar/core/port/SigningView"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { Effect } from "effect"
import { askedOf, spentOf } from "../askedOf.ts"
import type { Entry } from "./Entry.ts"
import { silentDatabase, type StoreUnusable } from "./StoreUnusable.ts"
import { usesOf } from "./usesOf.ts"

/** How many are taken over at a time. */
const adoptedAtOnce = 500

/**
 * Takes over what was signed before there was a store, as the database has it. What may still take effect is remembered like a signature
 * of this signer's own: it may be replaced under the same replay guard, and made anew once the chain has proven that it never takes
 * effect. Every other request that was signed for is never signed for again.
 */
export const adoptSigned = Effect.fnUntraced(function* (
  view: SigningView["Service"],
  add: (entry: Entry) => Effect.Effect<void, StoreUnusable>
) {
  // what a standby lacks would be signed again
  const believed = <A>(read: Effect.Effect<A, StorageError>) =>
    Effect.mapError(view.onPrimary(read), () => silentDatabase)
  const open = new Set<string>()
  const adoptOpen = Effect.fnUntraced(function* (one: OpenSignature) {
    const asked = one.signatureBases.flatMap((base) => askedOf(one.tenantId, base) ?? [])
    const progress = yield* believed(view.progress(one.tenantId))
    if (asked.length === 0 || progress === undefined) return
    for (const { key } of asked) open.add(key)
    const { from, guard, hash, network, raw, signedAt, tenantId, validUntil } = one
    const requests = asked.map(spentOf)
    // the unsigned bytes are not known: no other bytes are taken for them
    const unknown = { unsigned: "", paid: [] }
    const uses = usesOf(guard)
    yield* add({
      _tag: "Signed",
      at: signedAt,
      tenantId,
      network,
      requests,
      uses,
      hash,
      raw,
      validUntil,
      from,
      progress,
      ...unknown
    })
  })

  const openAfter = (after: string | undefined) => believed(view.openSignatures(after, adoptedAtOnce))
  let signatures = yield* openAfter(undefined)
  while (signatures.length > 0) {
    yield* Effect.forEach(signatures, adoptOpen, { discard: true })
    signatures = yield* openAfter(signatures.at(-1)?.key)
  }

  const answeredAfter = (after: string | undefined) => believed(view.answeredRequests(after, adoptedAtOnce))
  let answered = yield* answeredAfter(undefined)
  while (answered.length > 0) {
    const asked = answered.flatMap(({ signatureBase, tenantId }) => askedOf(tenantId, signatureBase) ?? [])
    const requests = asked.filter(({ key }) => !open.has(key)).map(spentOf)
    yield* add({ _tag: "Adopted", requests })
    answered = yield* answeredAfter(answered.at(-1)?.operationId)
  }
})
