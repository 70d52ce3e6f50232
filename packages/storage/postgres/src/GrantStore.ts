import { isUuid } from "@bursar/core/base/uuid"
import { fleetTenantId, openProposals } from "@bursar/core/grant/Grant"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import * as Cell from "./internal/cells.ts"
import type { Row } from "./internal/cells.ts"
import { selectList } from "./internal/Table.ts"
import { grantProposalTable, grantTable } from "./table/grantTables.ts"

/** The chains of grants, to be read. */
export const layer = Layer.effect(
  GrantStore,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const grantColumns = sql.literal(selectList(grantTable, "g"))
    const proposalColumns = sql.literal(selectList(grantProposalTable, "p"))
    return GrantStore.of({
      after: (chain, number, limit) =>
        sql<Row>`select ${grantColumns} from grant_entry g where g.tenant_id = ${chain ?? fleetTenantId}
          and g.number > ${BigInt(number)} order by g.number limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(grantTable.read)),
          attempt("read grants")
        ),
      // one look into the index for each tenant, however many grants there are
      ends: sql<Row>`select t.tenant_id, g.number from tenant t cross join lateral
          (select number from grant_entry e where e.tenant_id = t.tenant_id order by number desc limit 1) g
          where t.tenant_id <> ${fleetTenantId}`.pipe(
        Effect.map((rows) =>
          rows.map((row) => ({ tenantId: TenantId(Cell.text(row.tenant_id)), number: Cell.int(row.number) }))
        ),
        attempt("read the ends of chains of grants")
      ),
      proposals: (chain, now, limit) =>
        sql<Row>`with open as (select * from grant_proposal where tenant_id = ${chain ?? fleetTenantId}
              and record_group = ${openProposals} and expires_at > ${new Date(now)}),
            others as (select * from grant_proposal where tenant_id = ${chain ?? fleetTenantId}
              and (record_group is distinct from ${openProposals} or expires_at <= ${new Date(now)})
              order by proposed_at desc, proposal_id desc limit ${limit})
          select ${proposalColumns} from (select true as waits, * from open union all select false, * from others) p
          order by p.waits desc, p.proposed_at desc, p.proposal_id desc`.pipe(
          Effect.map((rows) => rows.map(grantProposalTable.read)),
          attempt("read proposals of grants")
        ),
      proposal: (chain, id) =>
        !isUuid(id)
          ? Effect.succeed(undefined)
          : sql<Row>`select ${proposalColumns} from grant_proposal p
              where p.tenant_id = ${chain ?? fleetTenantId} and p.proposal_id = ${id}`.pipe(
              Effect.map(([row]) => (row === undefined ? undefined : grantProposalTable.read(row))),
              attempt("read a proposal of a grant")
            )
    })
  })
)
