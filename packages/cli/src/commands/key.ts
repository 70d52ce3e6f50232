import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { connect, connectionFlags, findTenant, proposing } from "./operator.ts"
import { printOnce, printRecord, printRows, printText } from "./print.ts"

const tenantArgument = Argument.String("tenant").pipe(Argument.withDescription("Slug or id of the tenant"))

const create = Command.make(
  "create",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    label: Flag.String("label").pipe(Flag.withDescription("What the key is for"), Flag.withDefault("unnamed")),
    bundle: Flag.String("bundle").pipe(
      Flag.withDescription(
        "deposits, chain_payouts, withdrawals, swaps, swaps_for_customers, customers_fiat, introspection"
      ),
      Flag.optional
    ),
    scope: Flag.String("scope").pipe(
      Flag.withDescription("A scope by name, such as deposits:issue or transfers:*; you can repeat this flag"),
      Flag.atLeast(0)
    ),
    expires: Flag.String("expires").pipe(
      Flag.withDescription("When it stops working, such as 2027-06-30T00:00:00Z; without it, it does not expire"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    if (Option.isNone(options.bundle) && options.scope.length === 0) {
      return yield* new CommandFailed({
        message: "A key needs a --bundle or a --scope: without them it could do nothing."
      })
    }
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const {
      key,
      proposal_id: proposal,
      ...record
    } = yield* client.keys.create({
      params: { tenant_id: id },
      payload: {
        label: options.label,
        ...Option.match(options.bundle, { onNone: () => ({}), onSome: (bundle) => ({ bundle }) }),
        ...Option.match(options.expires, { onNone: () => ({}), onSome: (at) => ({ expires_at: at }) }),
        ...(options.scope.length > 0 ? { scopes: options.scope } : {})
      }
    })
    const lost = `The key ${record.id} was made. Run "bursar key revoke ${options.tenant} ${record.id}", and create another.`
    yield* printOnce(options.json, { ...record, key, ...(options.json && { proposal_id: proposal }) }, lost)
    if (options.json) return
    yield* printText("\nThe key is shown this once and cannot be shown again.")
    if (proposal === null) return
    yield* printText("It opens nothing before its grant is approved.")
    const { printNextStep } = yield* proposing
    yield* printNextStep(client, yield* client.grants.show({ params: { chain: id, proposal_id: proposal } }))
  })
).pipe(
  Command.withDescription("Create an API key; it is shown once. Where the service goes by grants, this proposes it"),
  Command.withExamples([
    { command: "bursar key create acme --bundle deposits --label intake", description: "A key for deposits" }
  ])
)

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const { keys } = yield* client.keys.list({ params: { tenant_id: id } })
    yield* printRows(options.json, keys, "The tenant has no keys.")
  })
).pipe(Command.withDescription("List a tenant's keys"))

const seal = Command.make(
  "seal",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    key: Argument.String("key").pipe(
      Argument.withDescription("The key's id; without it, the keys that have no seal are listed"),
      Argument.optional
    ),
    scopes: Flag.String("scopes").pipe(
      Flag.withDescription(
        "The scopes that you have checked, with commas: if it has others by then, nothing is sealed"
      ),
      Flag.optional
    ),
    expires: Flag.String("expires").pipe(
      Flag.withDescription("Until when you have seen that it works, as the list shows it, or `never`"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    if (Option.isSome(options.key)) {
      if (Option.isNone(options.scopes) || Option.isNone(options.expires))
        return yield* new CommandFailed({
          message: `Say with --scopes and --expires what you have checked, as \`bursar key seal ${options.tenant}\` lists it; --expires never where it has no end.`
        })
      const params = { tenant_id: id, key_id: options.key.value }
      const query = { scopes: options.scopes.value, expires_at: options.expires.value }
      return yield* printRecord(options.json, yield* client.keys.seal({ params, query }))
    }
    const { keys } = yield* client.keys.list({ params: { tenant_id: id } })
    const unsealed = keys.filter(({ revoked_at, sealed }) => !sealed && revoked_at === null)
    yield* printRows(options.json, unsealed, "Every key of the tenant is sealed or revoked.")
  })
).pipe(
  Command.withDescription("Seal a key of an earlier version, after you have checked what it may do"),
  Command.withExamples([
    { command: "bursar key seal acme", description: "The keys of a tenant that have no seal" },
    {
      command: 'bursar key seal acme a1B2c3D4 --scopes "deposits:read, events:read" --expires never',
      description: "Bind this key to its tenant, and to the scopes and expiry that you have checked"
    }
  ])
)

const revoke = Command.make(
  "revoke",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    key: Argument.String("key").pipe(Argument.withDescription("The key's id"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    yield* printRecord(options.json, yield* client.keys.revoke({ params: { tenant_id: id, key_id: options.key } }))
  })
).pipe(Command.withDescription("Revoke a key for good, everywhere within five seconds"))

/** `bursar key …` */
export const keyCommand = Command.make("key").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, seal, revoke])
)
