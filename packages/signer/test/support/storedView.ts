import { SigningView, type StoredSignature, type TenantProgress } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import type { Signed } from "@bursar/signer/store/Entry"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The tenant of `signedAt`. */
export const tenant = TenantId("00000000-0000-4000-8000-000000000001")

/** A directory of a store, removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-view-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A signature for a request of its own. */
export const signedAt = (n: number, at: number): Signed => ({
  _tag: "Signed",
  at,
  tenantId: tenant,
  network: "ethereum",
  requests: [{ key: `key ${n}`, digest: "digest", text: `text ${n}` }],
  uses: [`wallet:${n}`],
  unsigned: `unsigned ${n}`,
  hash: `hash ${n}`,
  raw: Uint8Array.of(n),
  validUntil: null,
  from: "wallet",
  paid: [{ contract: null, units: 5n }],
  progress: { changeSeq: BigInt(n), eventId: 0n, postingSeq: 0n }
})

/** What a database has of signatures and tenants. */
export interface Stored {
  signatures: Array<StoredSignature>
  progress: Map<TenantId, TenantProgress>
}

/** The same as the database has it. */
export const storedAt = (n: number, at: number): StoredSignature => ({
  network: "ethereum",
  hash: `hash ${n}`,
  signedAt: at
})

/** What the signer reads of a database. */
export const viewOver = (stored: Stored) =>
  SigningView.of({
    progress: (id) => Effect.sync(() => stored.progress.get(id)),
    progressOfAll: Effect.sync(() => new Map(stored.progress)),
    onPrimary: (effect) => effect,
    newestSignatures: (limit) =>
      Effect.sync(() => stored.signatures.toSorted((one, other) => other.signedAt - one.signedAt).slice(0, limit)),
    openSignatures: () => Effect.succeed([]),
    answeredRequests: () => Effect.succeed([])
  })
