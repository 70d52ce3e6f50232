import type { OperatorClient, OperatorClientOptions } from "@bursar/client/effect"
import { Effect, Option, Redacted } from "effect"
import { Argument, Flag } from "effect/cli"
import { type Handshake, readHandshake } from "../config/Handshake.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { signedInTarget } from "../config/signedInTarget.ts"

/** Where the operator port is: a flag, the environment, or the service that `bursar-dev` runs here. */
export const connectionFlags = {
  operatorUrl: Flag.String("operator-url").pipe(
    Flag.withDescription("The operator API; by default BURSAR_OPERATOR_URL, or the service that bursar-dev runs here"),
    Flag.optional
  ),
  as: Flag.String("as").pipe(
    Flag.withDescription("Your name, if operators share a token; by default BURSAR_AS"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
}

/** What {@link connectionFlags} gave. */
export interface ConnectionOptions {
  readonly operatorUrl: Option.Option<string>
  readonly as: Option.Option<string>
  readonly json: boolean
}

/** Where to send a token, and which. */
interface Target {
  readonly baseUrl: string
  readonly token: string
}

/**
 * The token that goes with an operator port. OPERATOR_TOKEN is sent only where a flag or the environment names the port;
 * what a handshake names gets the handshake's own token, whatever else is set.
 */
export const targetOf = (
  named: Option.Option<string>,
  token: Option.Option<string>,
  handshake: Option.Option<Pick<Handshake, "operator_url" | "operator_token">>
): Option.Option<Target> => {
  const dev = Option.map(handshake, ({ operator_token, operator_url }) => ({
    baseUrl: operator_url,
    token: operator_token
  }))
  if (Option.isNone(named)) return dev
  if (Option.isSome(token)) return Option.some({ baseUrl: named.value, token: token.value })
  return Option.filter(dev, ({ baseUrl }) => baseUrl === named.value)
}

/** The value of a variable of the environment; none where it is empty. */
export const present = (name: string): Option.Option<string> =>
  Option.filter(Option.fromNullishOr(process.env[name]), (text) => text !== "")

/** A client of an operator port. */
export const clientOf = Effect.fn("operator.clientOf")(function* (options: OperatorClientOptions) {
  const { makeOperatorClient } = yield* Effect.promise(() => import("@bursar/client/effect"))
  const { FetchHttpClient } = yield* Effect.promise(() => import("effect/http"))
  return yield* Effect.provide(makeOperatorClient(options), FetchHttpClient.layer)
})

/** Where the operator port is and who calls, as the flags, the environment, a running `bursar-dev` or a sign-in name them. */
export const findTarget = Effect.fn("operator.findTarget")(function* ({ as, operatorUrl }: ConnectionOptions) {
  const handshake = yield* readHandshake
  const url = Option.orElse(operatorUrl, () => present("BURSAR_OPERATOR_URL"))
  const named = targetOf(url, present("OPERATOR_TOKEN"), handshake)
  const target = Option.isSome(named) ? named : yield* signedInTarget(url)
  if (Option.isNone(target)) {
    return yield* new CommandFailed({
      message:
        "The operator API is unknown: set BURSAR_OPERATOR_URL and OPERATOR_TOKEN together, run bursar operator login, or run bursar-dev in this directory."
    })
  }
  const name = Option.orElse(as, () => Option.fromNullishOr(process.env["BURSAR_AS"]))
  const options: OperatorClientOptions = {
    baseUrl: target.value.baseUrl,
    token: Redacted.make(target.value.token),
    ...Option.match(name, { onNone: () => ({}), onSome: (given) => ({ name: given }) })
  }
  return options
})

/** A client of the operator port that {@link findTarget} finds. */
export const connect = (options: ConnectionOptions) => Effect.flatMap(findTarget(options), clientOf)

/** What commands need that ask for what may take a grant. */
export const proposing = Effect.promise(() => import("./proposing.ts"))

/** Finds a tenant by its slug or id. */
export const findTenant = Effect.fn("operator.findTenant")(function* (client: OperatorClient, slugOrId: string) {
  const { tenants } = yield* client.tenants.list()
  const found = tenants.find(({ id, slug }) => id === slugOrId || slug === slugOrId)
  return found ?? (yield* new CommandFailed({ message: `There is no tenant ${slugOrId}. See: bursar tenant list` }))
})

/** The tenant that most commands are about. */
export const tenantArgument = Argument.String("tenant").pipe(Argument.withDescription("Slug or id of the tenant"))

/** A client, and the path of the tenant that the arguments name. */
export const openTenant = Effect.fn("operator.openTenant")(function* (
  options: ConnectionOptions & { readonly tenant: string }
) {
  const client = yield* connect(options)
  const { id } = yield* findTenant(client, options.tenant)
  return { client, params: { tenant_id: id } }
})

/** A field of a request that is given only where its flag is. */
export const given = <K extends string, A>(name: K, flag: Option.Option<A>): { readonly [Name in K]?: A } =>
  Option.match(flag, {
    onNone: () => ({}),
    onSome: (value) => ({ [name]: value }) as { readonly [Name in K]?: A } // a computed key loses its name
  })
