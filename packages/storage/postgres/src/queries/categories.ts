import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { selectList } from "../internal/Table.ts"
import { operationTable } from "../table/operationTable.ts"

/** Which operations are looked for, and in what order. */
export interface Wanted {
  /** What is asked of a category `c`, the tenant's first. */
  readonly categories: ReadonlyArray<Fragment>
  /** What is asked of an operation `t` beside. */
  readonly operations: ReadonlyArray<Fragment>
  readonly order: "newest" | "oldest"
  readonly limit: number
}

const inOrder = (sql: SqlClient, { limit, order }: Pick<Wanted, "limit" | "order">, of: string): Fragment => {
  const direction = order === "newest" ? " desc" : ""
  return sql`order by ${sql.literal(`${of}.created_at${direction}, ${of}.operation_id${direction}`)} limit ${limit}`
}

/** Operations by conditions that none of the categories' index serves. */
export const plainly = <A extends object>(
  sql: SqlClient,
  tenants: Fragment,
  { operations, ...page }: Omit<Wanted, "categories">
) =>
  sql<A>`select ${sql.literal(selectList(operationTable, "t"))} from ${tenants} x
    cross join lateral (select * from operation t where ${sql.and([sql`t.tenant_id = x.tenant_id`, ...operations])}
      ${inOrder(sql, page, "t")}) t ${inOrder(sql, page, "t")}`

/**
 * Operations of some categories: the newest of each category that there ever was, along one index, and of those the newest. However seldom what is
 * wanted is, nothing else is read; there are tens of categories, and not millions. Corrections that are the tenant's and those that are not have
 * two totals and are looked for once.
 */
export const byCategory = <A extends object>(sql: SqlClient, { categories, operations, ...page }: Wanted) =>
  sql<A>`select ${sql.literal(selectList(operationTable, "t"))} from (select distinct c.tenant_id, c.kind, c.currency,
      c.status, c.acts_for, c.network, c.provider from operation_total c where ${sql.and([sql`c.span = 'ever'`, ...categories])}) c
    cross join lateral (select * from operation t
      where ${sql.and([
        sql`t.tenant_id = c.tenant_id and t.kind = c.kind and t.currency = c.currency and t.status = c.status
          and t.acts_for = c.acts_for and coalesce(t.network, '') = c.network and coalesce(t.provider, '') = c.provider`,
        ...operations
      ])} ${inOrder(sql, page, "t")}) t ${inOrder(sql, page, "t")}`
