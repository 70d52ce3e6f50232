import { isUuid } from "@bursar/core/base/uuid"
import { Tenants } from "@bursar/core/port/Tenants"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import type { TenantList, UnreadableTenant } from "@bursar/core/port/TenantList"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Effect, Layer, Result } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import * as Cell from "./internal/cells.ts"
import type { Row } from "./internal/cells.ts"
import { sharedRead } from "./internal/batched.ts"
import { inserting, selectList } from "./internal/Table.ts"
import { apiKeyTable } from "./table/apiKeyTable.ts"
import { selectSigningKeys, signingKeyTable } from "./table/signingKeyTable.ts"
import { tenantTable } from "./table/tenantTable.ts"

const insert = inserting(tenantTable, "fail")

/** Inserts a tenant and its head (`firstHead`), unless the slug is taken. */
const create = (tenant: Tenant) => {
  const { parameters, sql } = insert(tenant.id, [tenant])
  const text = `with made as (${sql} on conflict (slug) do nothing returning tenant_id, created_at)
    insert into tenant_head (tenant_id, change_seq, event_id, posting_seq, last_at)
    select tenant_id, 0, 0, 0, created_at - interval '1 millisecond' from made returning tenant_id`
  return { text, parameters }
}

/** The tenants of some rows. What cannot be read of one is told, and keeps nobody from the others. */
const listOf = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
  const tenants: Array<Tenant> = []
  const unreadable: Array<UnreadableTenant> = []
  for (const row of rows) {
    const read = Result.try(() => tenantTable.read(row))
    if (Result.isSuccess(read)) {
      tenants.push(read.success)
      continue
    }
    const id = TenantId(Cell.text(row.tenant_id))
    const problem = read.failure instanceof Error ? read.failure.message : String(read.failure)
    unreadable.push({ id, problem })
    yield* Effect.annotateLogs(Effect.logError("tenant.unreadable"), { tenant: id, problem })
  }
  return { tenants, unreadable } satisfies TenantList
})

/** The directory of tenants and keys. */
export const layer = Layer.effect(
  Tenants,
  Effect.gen(function* () {
    const { refuseOffset, sql } = yield* Connection
    const tenantColumns = sql.literal(selectList(tenantTable, "t"))
    const keyColumns = sql.literal(selectList(apiKeyTable, "k"))

    const key = Effect.fnUntraced(function* (id: string) {
      const [row] = yield* sql<Row>`select ${keyColumns} from api_key_directory d
        join api_key k on k.tenant_id = d.tenant_id and k.key_id = d.key_id where d.key_id = ${id}`
      if (row === undefined) return undefined
      const found = apiKeyTable.read(row)
      const [owner] = yield* sql<Row>`select ${tenantColumns} from tenant t where t.tenant_id = ${found.tenantId}`
      return owner === undefined ? undefined : { key: found, tenant: tenantTable.read(owner) }
    })

    const keys = (tenantId: TenantId) =>
      sql<Row>`select ${keyColumns} from api_key k where k.tenant_id = ${tenantId} order by k.created_at, k.key_id`

    const byId = sharedRead<Tenant | undefined>({
      doing: "read a tenant",
      none: undefined,
      read: (id) =>
        Effect.map(sql<Row>`select ${tenantColumns} from tenant t where t.tenant_id = ${id}`, ([row]) =>
          row === undefined ? undefined : tenantTable.read(row)
        )
    })
    const signingKeys = sharedRead<ReadonlyArray<SigningKey>>({
      doing: "list the signing keys of a tenant",
      none: [],
      read: (tenantId) =>
        Effect.map(sql.unsafe<Row>(selectSigningKeys, [tenantId]), (rows) => rows.map(signingKeyTable.read))
    })
    return Tenants.of({
      create: (tenant) =>
        Effect.gen(function* () {
          // the tenant's time begins here
          const [clock] = yield* sql<Row>`select clock_timestamp() as now`
          yield* refuseOffset("create a tenant", tenant.createdAt, Cell.at(clock?.["now"]))
          const { parameters, text } = create(tenant)
          const made = yield* sql.unsafe(text, parameters).pipe(attemptChange("create a tenant"))
          return made.length === 1
        }).pipe(attempt("create a tenant")),
      // the fleet has the form of a tenant, and is none
      byId: (id) => (id === fleetTenantId ? Effect.succeed(undefined) : byId(id)),
      bySlug: (slug) =>
        sql<Row>`select ${tenantColumns} from tenant t where t.slug = ${slug} and t.tenant_id <> ${fleetTenantId}`.pipe(
          Effect.map(([row]) => (row === undefined ? undefined : tenantTable.read(row))),
          attempt("read a tenant")
        ),
      list: sql<Row>`select ${tenantColumns} from tenant t where t.tenant_id <> ${fleetTenantId} order by t.created_at, t.tenant_id`.pipe(
        attempt("list the tenants"),
        Effect.flatMap(listOf)
      ),
      key: (id) => key(id).pipe(attempt("look up a key")),
      keys: (tenantId) =>
        !isUuid(tenantId)
          ? Effect.succeed([])
          : keys(tenantId).pipe(
              Effect.map((rows) => rows.map(apiKeyTable.read)),
              attempt("list the keys of a tenant")
            ),
      signingKeys
    })
  })
)
