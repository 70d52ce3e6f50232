import { isUuid } from "@bursar/core/base/uuid"
import { newest, type NewestName, type NewestOf } from "@bursar/core/records"
import type { Newest } from "@bursar/core/engine/Records"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { arrayParameter, parameter, text, uuid } from "../internal/columnTypes.ts"
import { selectList, type Statement, type Table } from "../internal/Table.ts"
import type { Row } from "../internal/cells.ts"
import { depositTable } from "./depositTable.ts"
import { xpubTable } from "./xpubTable.ts"

/** How the newest records of groups are found. */
interface NewestTable<A> {
  readonly table: Table<A>
  /** Undefined where none of the groups can be there. */
  readonly select: (tenantId: TenantId, groups: ReadonlyArray<string>) => Statement | undefined
}

const tables: { readonly [N in NewestName]: NewestTable<NewestOf<N>> } = {
  NewestDeposit: {
    table: depositTable,
    select: (tenantId, groups) => {
      const ids = groups.filter(isUuid)
      if (ids.length === 0) return undefined
      return {
        // along the index of a reference's deposits, backwards: no index of its own that every deposit would pay for
        sql: `select ${selectList(depositTable, "t")} from unnest($2::uuid[]) as w(address_id)
          cross join lateral (select * from address a where a.tenant_id = $1 and a.address_id = w.address_id limit 1) o
          cross join lateral (
            select * from deposit n
            where n.tenant_id = $1 and n.reference = o.reference and n.address_id = o.address_id
            order by n.change_seq desc limit 1) t`,
        parameters: [parameter(uuid, tenantId), arrayParameter(uuid, ids)]
      }
    }
  },
  XpubUse: {
    table: xpubTable,
    select: (tenantId, groups) => {
      // no name of a network has the separator
      const places = groups.map(
        (group) => [group.slice(0, group.indexOf("|")), group.slice(group.indexOf("|") + 1)] as const
      )
      return {
        sql: `select ${selectList(xpubTable, "t")} from unnest($2::text[], $3::text[]) as w(network, canonical)
          cross join lateral (
            select * from xpub x where x.tenant_id = $1 and x.network = w.network and x.canonical = w.canonical
            order by x.next_index desc limit 1) t`,
        parameters: [
          parameter(uuid, tenantId),
          arrayParameter(
            text,
            places.map(([network]) => network)
          ),
          arrayParameter(
            text,
            places.map(([, canonical]) => canonical)
          )
        ]
      }
    }
  }
}

/** How the newest records of a definition are loaded. */
export interface MappedNewest {
  readonly select: NewestTable<unknown>["select"]
  /** The group of a record, and the record. */
  readonly entry: (row: Row) => readonly [string, unknown]
}

const map = <A>(of: Newest<A>, { select, table }: NewestTable<A>): MappedNewest => ({
  select,
  entry: (row) => {
    const record = table.read(row)
    return [of.group(record), record]
  }
})

/** How the newest are loaded, by the name of their definition. */
export const mappedNewest: ReadonlyMap<string, MappedNewest> = new Map([
  [newest.NewestDeposit.name, map(newest.NewestDeposit, tables.NewestDeposit)],
  [newest.XpubUse.name, map(newest.XpubUse, tables.XpubUse)]
])
