import type { OperatorSigningKey } from "@bursar/api/operator/OperatorSigningKey"
import { Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { connect, connectionFlags, findTenant, proposing } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const tenantArgument = Argument.String("tenant").pipe(Argument.withDescription("Slug or id of the tenant"))

/** Reads the public key that a partner has sent. A private one is refused: nobody but the partner may have it. */
const openJwk = Effect.fn("signingKey.openJwk")(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    files.readFileString(path),
    () => new CommandFailed({ message: `The file ${path} cannot be read.` })
  )
  const { PublicJwk } = yield* Effect.promise(() => import("@bursar/api/signature/Ed25519"))
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(PublicJwk), { onExcessProperty: "error" })(text),
    () => new CommandFailed({ message: `${path} is not an Ed25519 public key as a JWK: kty, crv and x, and never d.` })
  )
})

/** A signing key as a row: the key itself is named by its thumbprint. */
const row = ({ api_key_id, created_at, keyid, revoked_at }: OperatorSigningKey) => ({
  keyid,
  api_key_id,
  created_at,
  revoked_at
})

const add = Command.make(
  "add",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    key: Argument.String("key").pipe(Argument.withDescription("The id of the API key whose requests it signs")),
    jwk: Argument.String("jwk").pipe(Argument.withDescription("File with the partner's public key as a JWK"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const { orProposed } = yield* proposing
    const payload = { api_key_id: options.key, public_jwk: yield* openJwk(options.jwk) }
    const added = yield* orProposed(client)(client.signingKeys.add({ params: { tenant_id: id }, payload }))
    yield* printRecord(options.json, options.json ? added : row(added))
  })
).pipe(
  Command.withDescription("Bind a partner's public key to an API key; two can be active"),
  Command.withExamples([
    { command: "bursar signing-key add acme a1B2c3D4 public.jwk.json", description: "Bind a partner's key" }
  ])
)

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const { signing_keys: keys } = yield* client.signingKeys.list({ params: { tenant_id: id } })
    yield* printRows(options.json, options.json ? keys : keys.map(row), "The tenant has no signing keys.")
  })
).pipe(Command.withDescription("List a tenant's signing keys, one row per API key"))

const revoke = Command.make(
  "revoke",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    keyid: Argument.String("keyid").pipe(Argument.withDescription("The key's thumbprint")),
    key: Flag.String("key").pipe(
      Flag.withDescription("Revoke it only for the API key with this id; by default for all"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const { signing_keys: keys } = yield* client.signingKeys.revoke({
      params: { tenant_id: id, keyid: options.keyid },
      payload: Option.match(options.key, { onNone: () => ({}), onSome: (key) => ({ api_key_id: key }) })
    })
    yield* printRows(options.json, options.json ? keys : keys.map(row), "")
  })
).pipe(Command.withDescription("Revoke a signing key for good, everywhere within five seconds"))

/** `bursar signing-key …` */
export const signingKeyCommand = Command.make("signing-key").pipe(
  Command.withDescription("Public keys with which partners sign"),
  Command.withSubcommands([add, list, revoke])
)
