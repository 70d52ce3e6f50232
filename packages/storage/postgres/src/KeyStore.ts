import { isUuid } from "@bursar/core/base/uuid"
import { KeyStore } from "@bursar/core/port/KeyStore"
import type { SealedKey } from "@bursar/core/port/SealedKey"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import { batched } from "./internal/batched.ts"
import { select } from "./internal/select.ts"
import { sealedKeyTable } from "./table/sealedKeyTable.ts"

/** What the vault has sealed. */
export const layer = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const first = (tenantId: string, kind: string) =>
      Effect.map(select(sql, sealedKeyTable, sql`where t.tenant_id = ${tenantId} and t.kind = ${kind}`), ([key]) => key)
    const byId = batched<string, SealedKey | undefined>({
      doing: "read a sealed key",
      text: (id) => id,
      none: undefined,
      read: (tenantId, ids) =>
        Effect.map(
          select(sql, sealedKeyTable, sql`where t.tenant_id = ${tenantId} and t.key_id = any(${ids}::uuid[])`),
          (found) => new Map(found.map((one) => [one.id, one]))
        )
    })
    return KeyStore.of({
      putFirst: (key) =>
        sql`insert into sealed_key (tenant_id, key_id, kind, sealed, created_at)
          values (${key.tenantId}, ${key.id}, ${key.kind}, ${key.sealed}, ${new Date(key.createdAt)})
          on conflict (tenant_id, kind) where kind <> 'IMPORTED' do nothing`.pipe(
          Effect.andThen(first(key.tenantId, key.kind)),
          Effect.flatMap((stored) =>
            stored === undefined
              ? Effect.die(new Error("a sealed key went as soon as it came"))
              : Effect.succeed(stored)
          ),
          attemptChange("store a sealed key")
        ),
      first: (tenantId, kind) =>
        isUuid(tenantId) ? first(tenantId, kind).pipe(attempt("read a sealed key")) : Effect.succeed(undefined),
      byId: (tenantId, id) => (isUuid(id) ? byId(tenantId, id) : Effect.succeed(undefined)),
      page: (after, limit) =>
        select(
          sql,
          sealedKeyTable,
          after === undefined
            ? sql`order by t.tenant_id, t.key_id limit ${limit}`
            : sql`where (t.tenant_id, t.key_id) > (${after.tenantId}, ${after.id})
              order by t.tenant_id, t.key_id limit ${limit}`
        ).pipe(attempt("read the sealed keys")),
      reseal: (key, sealed) =>
        sql`update sealed_key set sealed = ${sealed}
          where tenant_id = ${key.tenantId} and key_id = ${key.id} and sealed = ${key.sealed} returning key_id`.pipe(
          Effect.map((rows) => rows.length === 1),
          attemptChange("replace a sealed key")
        )
    })
  })
)
