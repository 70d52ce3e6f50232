import { Result, Schema } from "effect"
import {
  functionUsers,
  roleMatrix,
  roleProcesses,
  type RoleProcess,
  sequenceUsers,
  type TableRights
} from "./roleMatrix.ts"

/** A prefix that no role can begin with. */
export class RolePrefixInvalid extends Schema.TaggedError<RolePrefixInvalid>()("RolePrefixInvalid", {
  message: Schema.String
}) {}

/** The longest prefix: a name of PostgreSQL has 63 bytes, and what is longer would be cut off silently. */
const prefixCharactersMax = 40

const prefixPattern = /^[a-z][a-z0-9_]*$/u

/** Why a prefix is refused; undefined where it can be used. PostgreSQL keeps `pg_` for its own roles. */
const refusalOf = (prefix: string): string | undefined => {
  if (!prefixPattern.test(prefix)) return "it begins with a letter, and has only a to z, 0 to 9 and _"
  if (prefix.length > prefixCharactersMax) return `it has at most ${prefixCharactersMax} characters`
  return prefix.startsWith("pg_") ? "PostgreSQL keeps names that begin with pg_ for itself" : undefined
}

/** Tables of this schema; it is the one that migrations use unless a search path says otherwise. */
const schema = "public"

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const inSchema = (name: string): string => `${schema}.${quoted(name)}`

const tables: ReadonlyArray<readonly [name: string, rights: TableRights]> = Object.entries(roleMatrix)

const privilegesOf = (rights: TableRights, process: RoleProcess): string => rights[process].join(", ")

/**
 * Makes a group, or takes the one that is there. One that could do more than the matrix says is no group of ours: whoever gave it its
 * name may not have meant this, so nothing is changed then.
 */
const createRole = (role: string): string => `do $$ begin
  if not exists (select from pg_roles where rolname = '${role}') then
    create role ${quoted(role)} nologin;
  elsif exists (select from pg_roles r where r.rolname = '${role}' and (r.rolsuper or r.rolcanlogin or r.rolcreaterole
      or r.rolcreatedb or r.rolreplication or r.rolbypassrls
      or exists (select from pg_auth_members m where m.member = r.oid)
      or exists (select from pg_class c where c.relowner = r.oid))) then
    raise exception 'the role ${role} can already do more than a process needs: drop it, or use another prefix';
  end if;
end $$`

/** Tables with the same privileges are granted together. */
const grantTables = (process: RoleProcess, role: string): ReadonlyArray<string> => {
  const byPrivileges = Map.groupBy(
    tables.filter(([, rights]) => rights[process].length > 0),
    ([, rights]) => privilegesOf(rights, process)
  )
  return [...byPrivileges].map(
    ([privileges, same]) =>
      `grant ${privileges} on ${same.map(([name]) => inSchema(name)).join(", ")} to ${quoted(role)}`
  )
}

const usersIn = (users: Readonly<Record<string, ReadonlyArray<RoleProcess>>>, process: RoleProcess) =>
  Object.keys(users).filter((name) => users[name]?.includes(process))

/** Everything that the matrix names, as objects of GRANT and REVOKE. */
const objects: ReadonlyArray<string> = [
  `table ${tables.map(([name]) => inSchema(name)).join(", ")}`,
  `sequence ${Object.keys(sequenceUsers).map(inSchema).join(", ")}`,
  `function ${Object.keys(functionUsers)
    .map((signature) => `${schema}.${signature}`)
    .join(", ")}`
]

const ofRole = (process: RoleProcess, role: string): ReadonlyArray<string> => [
  // what an earlier version granted, or somebody by hand
  ...objects.map((object) => `revoke all on ${object} from ${quoted(role)}`),
  `revoke all on schema ${schema} from ${quoted(role)}`,
  `grant usage on schema ${schema} to ${quoted(role)}`,
  ...grantTables(process, role),
  ...usersIn(sequenceUsers, process).map((name) => `grant usage on sequence ${inSchema(name)} to ${quoted(role)}`),
  ...usersIn(functionUsers, process).map(
    (signature) => `grant execute on function ${schema}.${signature} to ${quoted(role)}`
  )
]

/** The name of the group of a process. */
export const roleName = (prefix: string, process: RoleProcess): string => `${prefix}_${process}`

/**
 * The statements that make the groups `<prefix>_serve`, `<prefix>_work` and `<prefix>_sign` of a migrated database, and give each of them
 * what the matrix says, and nothing else. For one transaction; run again, they end in the same state. They need the owner of the
 * schema, with CREATEROLE as long as a group is missing. Fails with RolePrefixInvalid.
 */
export const roleStatements = (prefix: string): Result.Result<ReadonlyArray<string>, RolePrefixInvalid> => {
  const refusal = refusalOf(prefix)
  if (refusal !== undefined)
    return Result.fail(new RolePrefixInvalid({ message: `"${prefix}" cannot be the prefix of roles: ${refusal}.` }))
  const names = roleProcesses.map((process) => ({ process, role: roleName(prefix, process) }))
  return Result.succeed([
    ...names.map(({ role }) => createRole(role)),
    `revoke create on schema ${schema} from public`,
    ...objects.map((object) => `revoke all on ${object} from public`),
    ...names.flatMap(({ process, role }) => ofRole(process, role))
  ])
}

/** The same as a script for `psql`. Fails with RolePrefixInvalid. */
export const roleScript = (prefix: string): Result.Result<string, RolePrefixInvalid> =>
  Result.map(roleStatements(prefix), (statements) =>
    ["begin", ...statements, "commit"].map((statement) => `${statement};`).join("\n")
  )
