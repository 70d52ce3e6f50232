import type { Migration } from "./Migration.ts"

/** An address names the kept requests of several keys by which it was registered: whichever of the keys is revoked, another may stand behind it. */
export const namedRegistrations: Migration = {
  id: 92,
  name: "named_registrations",
  statements: (sql) => [
    sql`alter table address add column registrations json`,
    // one whose request is not kept counted for nothing, and goes on to do so
    sql`update address a set registrations = json_build_array(json_build_object(
        'id', a.registration_id, 'keyid', coalesce((select r.keyid from signed_registration r
          where r.tenant_id = a.tenant_id and r.registration_id = a.registration_id), '')))
      where a.registration_id is not null`,
    sql`alter table address drop column registration_id`
  ]
}
