import type { Migration } from "./Migration.ts"

/**
 * An account of the fiat provider belongs to one of ours among all tenants. One that was bound before to several of them belongs to the oldest. One whose
 * id no index takes belongs to none: no answer under such an id counts.
 */
export const boundAccounts: Migration = {
  id: 90,
  name: "bound_accounts",
  statements: (sql) => [
    sql`insert into provider_order (tenant_id, provider_order_key, provider, provider_reference, operation_id)
      select distinct on (provider_order_key) tenant_id, provider_order_key, provider, reference, account_id
        from (
          select tenant_id, account_id, created_at, provider, 'account|' || provider_account_id as reference,
            provider || '|account|' || provider_account_id as provider_order_key
          from fiat_account where octet_length(provider_account_id) <= 1000
        ) claim
        where not exists (select 1 from provider_order_directory d where d.provider_order_key = claim.provider_order_key)
        order by provider_order_key, created_at, account_id`,
    sql`insert into provider_order_directory (provider_order_key, tenant_id)
      select provider_order_key, tenant_id from provider_order on conflict do nothing`
  ]
}
