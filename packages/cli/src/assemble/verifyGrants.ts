import type { GrantRoot } from "@bursar/core/grant/GrantRoot"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { verifyAll } from "@bursar/core/grant/verifyAll"
import { Tenants } from "@bursar/core/port/Tenants"
import { layer as layerPostgres } from "@bursar/postgres"
import { Effect, type Redacted } from "effect"
import { trustOf } from "../config/grantRoot.ts"

/** Verifies every chain of grants in a database from a root. */
export const verifyGrants = Effect.fn("assemble.verifyGrants")(
  function* (_url: Redacted.Redacted, root: GrantRoot) {
    const { tenants, unreadable } = yield* (yield* Tenants).list
    const reports = yield* verifyAll(yield* trustOf(root), yield* GrantStore, [...tenants, ...unreadable])
    return reports.map(({ adopted, head, problem, tenantId }) => ({
      chain: tenants.find(({ id }) => id === tenantId)?.slug ?? tenantId ?? "fleet",
      number: head?.number ?? null,
      hash: head?.hash ?? null,
      adopted,
      problem
    }))
  },
  (effect, url) =>
    Effect.provide(effect, layerPostgres({ url, maxConnections: 2, applicationName: "bursar grant verify" }))
)
