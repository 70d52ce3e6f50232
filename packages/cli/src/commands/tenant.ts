import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, connectionFlags, findTenant } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const tenantArgument = Argument.String("tenant").pipe(Argument.withDescription("Slug or id"))

const flat = ({ settings, ...tenant }: OperatorTenant) => ({ ...tenant, ...settings })

const create = Command.make(
  "create",
  {
    ...connectionFlags,
    slug: Argument.String("slug").pipe(Argument.withDescription("Short name: lower-case letters, digits, hyphens")),
    name: Flag.String("name").pipe(Flag.withDescription("Full name"), Flag.optional),
    live: Flag.Boolean("live").pipe(
      Flag.withDescription("Moves real money; a sandbox tenant otherwise"),
      Flag.withDefault(false)
    ),
    allow: Flag.String("allow").pipe(
      Flag.withDescription("Address or CIDR range that may call; may be given several times"),
      Flag.atLeast(0)
    ),
    allowAny: Flag.Boolean("allow-any").pipe(Flag.withDescription("Let every address call"), Flag.withDefault(false))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const created = yield* client.tenants.create({
      payload: {
        slug: options.slug,
        name: Option.getOrElse(options.name, () => options.slug),
        kind: options.live ? "LIVE" : "SANDBOX"
      }
    })
    const params = { tenant_id: created.id }
    yield* client.tenants.changeSettings({ params, payload: { ip_allowlist: options.allowAny ? null : options.allow } })
    yield* printRecord(options.json, flat(yield* client.tenants.activate({ params })))
  })
).pipe(
  Command.withDescription("Create a tenant and activate it"),
  Command.withExamples([
    { command: "bursar tenant create acme --allow 203.0.113.0/24", description: "A sandbox tenant" }
  ])
)

const list = Command.make(
  "list",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { tenants } = yield* client.tenants.list()
    const rows = tenants.map(({ created_at, id, kind, slug, status }) => ({ slug, kind, status, id, created_at }))
    yield* printRows(options.json, options.json ? tenants.map(flat) : rows, "There are no tenants yet.")
  })
).pipe(Command.withDescription("List tenants"))

const show = Command.make(
  "show",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    yield* printRecord(options.json, flat(yield* findTenant(client, options.tenant)))
  })
).pipe(Command.withDescription("Show a tenant with its settings"))

const settings = Command.make(
  "set",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    allow: Flag.String("allow").pipe(
      Flag.withDescription("Replace the allowlist; may be given several times"),
      Flag.atLeast(0)
    ),
    allowAny: Flag.Boolean("allow-any").pipe(Flag.withDescription("Let every address call"), Flag.withDefault(false)),
    ceiling: Flag.Int("ceiling").pipe(
      Flag.withDescription("Requests per minute over all keys; 0 removes the ceiling"),
      Flag.optional
    ),
    credit: Flag.String("credit").pipe(
      Flag.withDescription(
        "Credit deposits of these sources only: REGISTERED, DERIVED, <NAME>_ISSUED, <NAME>_IMPORTED with the name of the service; may be given several times"
      ),
      Flag.atLeast(0)
    ),
    creditHistorical: Flag.Literals("credit-historical", ["yes", "no"]).pipe(
      Flag.withDescription("Credit arrivals mined before their address was registered"),
      Flag.optional
    ),
    holdOnIssuance: Flag.Literals("hold-on-issuance", ["yes", "no"]).pipe(
      Flag.withDescription("Issued addresses start with their sweeping held"),
      Flag.optional
    ),
    holdOnImport: Flag.Literals("hold-on-import", ["yes", "no"]).pipe(
      Flag.withDescription("Addresses of imported keys start with their sweeping held"),
      Flag.optional
    ),
    holdOnArrival: Flag.Literals("hold-on-arrival", ["yes", "no"]).pipe(
      Flag.withDescription("An arrival holds the sweeping of its address until the tenant has seen it"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const changed = yield* client.tenants.changeSettings({
      params: { tenant_id: id },
      payload: {
        ...(options.allowAny
          ? { ip_allowlist: null }
          : options.allow.length > 0
            ? { ip_allowlist: options.allow }
            : {}),
        ...Option.match(options.ceiling, {
          onNone: () => ({}),
          onSome: (ceiling) => ({ tenant_ceiling_per_minute: ceiling === 0 ? null : ceiling })
        }),
        ...(options.credit.length > 0 ? { credit_sources: options.credit } : {}),
        ...Option.match(options.creditHistorical, {
          onNone: () => ({}),
          onSome: (answer) => ({ credit_historical: answer === "yes" })
        }),
        ...Option.match(options.holdOnIssuance, {
          onNone: () => ({}),
          onSome: (answer) => ({ hold_on_issuance: answer === "yes" })
        }),
        ...Option.match(options.holdOnImport, {
          onNone: () => ({}),
          onSome: (answer) => ({ hold_on_import: answer === "yes" })
        }),
        ...Option.match(options.holdOnArrival, {
          onNone: () => ({}),
          onSome: (answer) => ({ hold_on_arrival: answer === "yes" })
        })
      }
    })
    yield* printRecord(options.json, flat(changed))
  })
).pipe(Command.withDescription("Change a tenant's settings; what is not named stays as it is"))

const activate = Command.make(
  "activate",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    yield* printRecord(options.json, flat(yield* client.tenants.activate({ params: { tenant_id: id } })))
  })
).pipe(Command.withDescription("Let a tenant's keys in again"))

const suspend = Command.make(
  "suspend",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    yield* printRecord(options.json, flat(yield* client.tenants.suspend({ params: { tenant_id: id } })))
  })
).pipe(Command.withDescription("Shut a tenant's keys out; its deposits go on being watched"))

/** `bursar tenant …` */
export const tenantCommand = Command.make("tenant").pipe(
  Command.withDescription("Partner organisations"),
  Command.withSubcommands([create, list, show, settings, activate, suspend])
)
