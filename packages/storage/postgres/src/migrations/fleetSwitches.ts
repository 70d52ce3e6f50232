import type { Migration } from "./Migration.ts"

/** What is switched for everybody stands under the fleet, so that the grant that says so and the switch are one commit. */
export const fleetSwitches: Migration = {
  id: 42,
  name: "fleet_switches",
  statements: (sql) => [
    sql`alter table network_switch
      add column tenant_id uuid not null default '00000000-0000-0000-0000-000000000000',
      drop constraint network_switch_pkey,
      add constraint network_switch_pkey primary key (tenant_id, network),
      add constraint network_switch_of_fleet check (tenant_id = '00000000-0000-0000-0000-000000000000')`
  ]
}
