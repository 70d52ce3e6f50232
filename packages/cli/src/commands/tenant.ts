import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { printable } from "@bursar/api/wire/printable"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, connectionFlags, findTenant, given, openTenant, proposing, tenantArgument } from "./operator.ts"
import { printRecord, printRows, printText } from "./print.ts"
import { insteadOf, takenOut } from "./replacedSettings.ts"
import { allowlistOf, settingsFlags, settingsOf } from "./tenantSettings.ts"

const flat = ({ settings, ...tenant }: OperatorTenant) => ({ ...tenant, ...settings })

const create = Command.make(
  "create",
  {
    ...connectionFlags,
    slug: Argument.String("slug").pipe(Argument.withDescription("Short name: lower-case letters, digits, hyphens")),
    name: Flag.String("name").pipe(Flag.withDescription("Full name"), Flag.optional),
    live: Flag.Boolean("live").pipe(
      Flag.withDescription("The tenant moves real money; otherwise it is a sandbox tenant"),
      Flag.withDefault(false)
    ),
    allow: Flag.String("allow").pipe(
      Flag.withDescription("IP address or CIDR range that may call; you can repeat this flag"),
      Flag.atLeast(0)
    ),
    allowAny: Flag.Boolean("allow-any").pipe(Flag.withDescription("Allow every IP address"), Flag.withDefault(false))
  },
  Effect.fn(function* (options) {
    const allowlist = yield* allowlistOf(options)
    const client = yield* connect(options)
    const created = yield* client.tenants.create({
      payload: {
        slug: options.slug,
        name: Option.getOrElse(options.name, () => options.slug),
        kind: options.live ? "LIVE" : "SANDBOX"
      }
    })
    const params = { tenant_id: created.id }
    yield* client.tenants.changeSettings({
      params,
      payload: { ip_allowlist: allowlist === undefined ? [] : allowlist }
    })
    yield* printRecord(options.json, flat(yield* client.tenants.activate({ params, payload: {} })))
    if (options.json) return
    const { printUngranted } = yield* proposing
    const why = "Nothing leaves this tenant before people have approved its settings. Propose them:"
    yield* printUngranted(client, { chain: created.id, kind: "policy", name: created.slug, why })
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
    const { tenants, unreadable } = yield* client.tenants.list()
    const rows = tenants.map(({ created_at, id, kind, slug, status }) => ({ slug, kind, status, id, created_at }))
    yield* printRows(options.json, options.json ? tenants.map(flat) : rows, "There are no tenants yet.")
    for (const { id, problem } of unreadable) {
      const what = tenants.some((tenant) => tenant.id === id) ? "Settings in the row" : "The row"
      yield* Console.error(`${what} of tenant ${id} cannot be read: ${printable(problem)}.`)
    }
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
  { ...connectionFlags, tenant: tenantArgument, ...settingsFlags },
  Effect.fn(function* (options) {
    const allowlist = yield* allowlistOf(options)
    const client = yield* connect(options)
    const before = yield* findTenant(client, options.tenant)
    const { orProposed } = yield* proposing
    const change = { ...settingsOf(options), ...(allowlist !== undefined && { ip_allowlist: allowlist }) }
    const payload = insteadOf(before.settings, change)
    const request = client.tenants.changeSettings({ params: { tenant_id: before.id }, payload })
    const changed = yield* orProposed(client)(request)
    yield* printRecord(options.json, flat(changed))
    if (options.json) return
    for (const line of takenOut(before.settings, changed.settings, change)) yield* printText(line)
  })
).pipe(
  Command.withDescription("Change a tenant's settings; settings that you do not name stay as they are"),
  Command.withExamples([
    {
      command: "bursar tenant set acme --payout-limit 50000 --payout-review 5000 --payouts-off-on tron",
      description: "Set limits, the review threshold, and a network without payouts"
    },
    { command: "bursar tenant set acme --payout-daily-limit none", description: "Remove a limit" }
  ])
)

const reason = Flag.String("reason").pipe(Flag.withDescription("Why; the audit log keeps it"), Flag.optional)

const activate = Command.make(
  "activate",
  { ...connectionFlags, tenant: tenantArgument, reason },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const { orProposed } = yield* proposing
    const payload = given("reason", options.reason)
    const request = client.tenants.activate({ params: { tenant_id: id }, payload })
    yield* printRecord(options.json, flat(yield* orProposed(client)(request)))
  })
).pipe(Command.withDescription("Accept a tenant's API keys again"))

const suspend = Command.make(
  "suspend",
  { ...connectionFlags, tenant: tenantArgument, reason },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const payload = given("reason", options.reason)
    yield* printRecord(options.json, flat(yield* client.tenants.suspend({ params: { tenant_id: id }, payload })))
  })
).pipe(Command.withDescription("Refuse a tenant's API keys; its deposits are still watched"))

const limits = Command.make(
  "limits",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const found = yield* client.tenants.limits({ params })
    if (options.json) return yield* printRecord(true, found)
    const rows = [
      { of: "payouts", ...found.payouts },
      { of: "payouts to new receivers", ...found.payouts_to_new_receivers },
      { of: "withdrawals", ...found.withdrawals }
    ]
    yield* printRows(false, rows, "")
    yield* printText(`A payout may be worth ${found.payout_limit_usd ?? "any number of"} USD.`)
  })
).pipe(Command.withDescription("Show what a tenant may pay out and withdraw, and how much of that it has used"))

/** `bursar tenant …` */
export const tenantCommand = Command.make("tenant").pipe(
  Command.withDescription("Partner organisations"),
  Command.withSubcommands([create, list, show, settings, limits, activate, suspend])
)
