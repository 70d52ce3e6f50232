import { Console, Effect, FileSystem, Option, Schema } from "effect"

/** The file in which `bursar-dev` leaves the addresses and secrets of the service it runs, in its data directory. */
export const handshakeFile = "dev.json"

/** Where commands look for it: in the default data directory, below the working directory. */
const handshakePath = `.bursar/${handshakeFile}`

const Jwk = Schema.Record(Schema.String, Schema.Unknown)

/** A demo tenant: its keys by the bundle they hold, and the pair that signs its requests. */
export const HandshakeTenant = Schema.Struct({
  id: Schema.String,
  slug: Schema.String,
  keys: Schema.Record(Schema.String, Schema.String),
  signing: Schema.Struct({ keyid: Schema.String, private_jwk: Jwk })
})

/** A demo tenant. */
export type HandshakeTenant = typeof HandshakeTenant.Type

const EvmHandshake = Schema.Struct({ rpc_url: Schema.String, funded_key: Schema.String, control_url: Schema.String })

/** Where the local nodes are and how they are told what to do. */
export const HandshakeNetworks = Schema.Struct({
  ethereum: EvmHandshake,
  bsc: EvmHandshake,
  base: EvmHandshake,
  /** `rpc_url` carries user and password. */
  bitcoin: Schema.Struct({ rpc_url: Schema.String, control_url: Schema.String }),
  tron: Schema.Struct({ url: Schema.String, control_url: Schema.String }),
  stellar: Schema.Struct({
    horizon_url: Schema.String,
    rpc_url: Schema.String,
    network_passphrase: Schema.String,
    control_url: Schema.String
  })
})

/** Where the local nodes are and how they are told what to do. */
export type HandshakeNetworks = typeof HandshakeNetworks.Type

/** Where the files of grants are: the root, and the key of each demo approver under one passphrase. */
export const HandshakeGrants = Schema.Struct({
  root_file: Schema.String,
  passphrase_file: Schema.String,
  approvers: Schema.Array(Schema.Struct({ id: Schema.String, key_file: Schema.String }))
})

/** Where the files of grants are. */
export type HandshakeGrants = typeof HandshakeGrants.Type

/** What stands in the handshake file. Written once everything answers, removed on stop, readable by its owner alone. */
export const Handshake = Schema.Struct({
  partner_url: Schema.String,
  operator_url: Schema.String,
  operator_token: Schema.String,
  service_name: Schema.String,
  database_url: Schema.String,
  tenants: Schema.Array(HandshakeTenant),
  networks: HandshakeNetworks,
  /** Null where the service goes by rows. */
  grants: Schema.NullOr(HandshakeGrants),
  /** Where the providers are told what to do. */
  sandbox: Schema.Struct({ control_url: Schema.String })
})

/** What stands in the handshake file. */
export type Handshake = typeof Handshake.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Handshake))

/** The most that is read of the file, in bytes. */
const sizeMax = 1_048_576

/** Whether a file is this user's and nobody else can read or write it: what is not was not left by `bursar-dev`. */
const isOurs = ({ mode, type, uid }: FileSystem.File.Info): boolean =>
  type === "File" &&
  (mode & 0o077) === 0 &&
  (process.getuid === undefined || Option.getOrUndefined(uid) === process.getuid())

/**
 * The handshake in a file, if there is one. A file of another owner or that others can read is not believed: whoever planted
 * it would be sent what a command has to say.
 */
export const readHandshakeAt = (path: string): Effect.Effect<Option.Option<Handshake>, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    // one file is looked at and read, whatever takes its place meanwhile
    const file = yield* files.open(path)
    if (!isOurs(yield* file.stat)) {
      yield* Console.error(`${path} is ignored: it is not a file of yours alone (mode 0600).`)
      return Option.none<Handshake>()
    }
    const bytes = yield* file.readAlloc(sizeMax)
    return Option.flatMap(bytes, (read) => decode(new TextDecoder().decode(read)))
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => Option.none())
  )

/** The handshake of a service that `bursar-dev` runs from this directory, if there is one. */
export const readHandshake = readHandshakeAt(handshakePath)
