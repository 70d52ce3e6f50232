import type { DeliveriesQueued } from "@bursar/api/operator/OperatorWebhook"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, type ConnectionOptions, connectionFlags, findTenant } from "./operator.ts"
import { printOnce, printRecord, printRows, printText } from "./print.ts"

const tenantArgument = Argument.String("tenant").pipe(Argument.withDescription("Slug or id of the tenant"))
const endpointArgument = Argument.String("endpoint").pipe(Argument.withDescription("The endpoint's id"))
const named = { ...connectionFlags, tenant: tenantArgument, endpoint: endpointArgument }

/** The client, and the path of the endpoint that the arguments name. */
const open = Effect.fn("webhook.open")(function* (
  options: ConnectionOptions & { readonly tenant: string; readonly endpoint: string }
) {
  const client = yield* connect(options)
  const { id } = yield* findTenant(client, options.tenant)
  return { client, params: { tenant_id: id, webhook_id: options.endpoint } }
})

const showSecretOnce = (json: boolean) =>
  json ? Effect.void : printText("\nThe secret is shown this once and cannot be shown again.")

const create = Command.make(
  "create",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    url: Argument.String("url").pipe(Argument.withDescription("https URL of the receiver")),
    kind: Flag.String("kind").pipe(
      Flag.withDescription("Deliver only these kinds, such as deposit.settled; you can repeat this flag"),
      Flag.atLeast(0)
    )
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const created = yield* client.webhooks.create({
      params: { tenant_id: id },
      payload: { url: options.url, ...(options.kind.length > 0 ? { kinds: options.kind } : {}) }
    })
    const lost = `The endpoint ${created.id} was made. Run "bursar webhook rotate ${options.tenant} ${created.id}" for another secret, and activate it.`
    yield* printOnce(options.json, created, lost)
    yield* showSecretOnce(options.json)
  })
).pipe(Command.withDescription("Add an endpoint; its secret is shown once"))

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const { webhooks } = yield* client.webhooks.list({ params: { tenant_id: id } })
    yield* printRows(options.json, webhooks, "The tenant has no webhook endpoints.")
  })
).pipe(Command.withDescription("List a tenant's endpoints"))

const disable = Command.make(
  "disable",
  named,
  Effect.fn(function* (options) {
    const { client, params } = yield* open(options)
    yield* printRecord(options.json, yield* client.webhooks.disable({ params }))
  })
).pipe(Command.withDescription("Stop delivering to an endpoint"))

const enable = Command.make(
  "enable",
  named,
  Effect.fn(function* (options) {
    const { client, params } = yield* open(options)
    yield* printRecord(options.json, yield* client.webhooks.enable({ params }))
  })
).pipe(Command.withDescription("Deliver to an endpoint again, including the events that it missed"))

const rotate = Command.make(
  "rotate",
  {
    ...named,
    replace: Flag.Boolean("replace").pipe(
      Flag.withDescription("Replace a new secret that waits to be activated, such as one that was lost"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* open(options)
    const query = options.replace ? ({ replace: "true" } as const) : {}
    const lost = `A new secret waits to be activated. Run "bursar webhook rotate ${options.tenant} ${options.endpoint} --replace" for another one.`
    yield* printOnce(options.json, yield* client.webhooks.rotate({ params, query }), lost)
    yield* showSecretOnce(options.json)
  })
).pipe(Command.withDescription("Create a new secret; it is used after you activate it"))

const activateSecret = Command.make(
  "activate-secret",
  {
    ...named,
    staged: Argument.String("staged").pipe(
      Argument.withDescription("The new secret's `staged_secret`, as `bursar webhook rotate` and `list` print it")
    )
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* open(options)
    const query = { staged: options.staged }
    yield* printRecord(options.json, yield* client.webhooks.activateSecret({ params, query }))
  })
).pipe(
  Command.withDescription("Use the new secret from now on; if another one waits by then, none is activated"),
  Command.withExamples([
    {
      command: "bursar webhook activate-secret acme <id> 9f86d081884c7d659a2feaa0c55ad015",
      description: "Sign with the secret that the partner was given"
    }
  ])
)

const printQueued = Effect.fnUntraced(function* (json: boolean, answer: DeliveriesQueued) {
  yield* printRecord(json, answer)
  if (!json && !answer.enabled) yield* printText("\nThe endpoint is disabled: nothing is sent until you enable it.")
})

const resend = Command.make(
  "resend",
  { ...named, event: Argument.Int("event").pipe(Argument.withDescription("The event's id")) },
  Effect.fn(function* (options) {
    const { client, params } = yield* open(options)
    yield* printQueued(options.json, yield* client.webhooks.resend({ params, payload: { event_id: options.event } }))
  })
).pipe(Command.withDescription("Deliver one event again"))

const ping = Command.make(
  "ping",
  named,
  Effect.fn(function* (options) {
    const { client, params } = yield* open(options)
    yield* printRecord(options.json, yield* client.webhooks.ping({ params }))
  })
).pipe(Command.withDescription("Deliver the newest event once more, to see what the endpoint answers"))

const replay = Command.make(
  "replay",
  {
    ...named,
    from: Flag.Int("from").pipe(Flag.withDescription("First event id")),
    to: Flag.Int("to").pipe(Flag.withDescription("Last event id"))
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* open(options)
    const payload = { from_event_id: options.from, to_event_id: options.to }
    yield* printQueued(options.json, yield* client.webhooks.replay({ params, payload }))
  })
).pipe(Command.withDescription("Deliver a range of events again"))

const attempts = Command.make(
  "attempts",
  named,
  Effect.fn(function* (options) {
    const { client, params } = yield* open(options)
    const page = yield* client.webhooks.attempts({ params, query: {} })
    if (page.waiting > 0 && !options.json) yield* printText(`${page.waiting} deliveries wait to be made again.\n`)
    yield* printRows(options.json, page.attempts, "Nothing was sent to this endpoint yet.")
  })
).pipe(Command.withDescription("Show the newest delivery attempts"))

/** `bursar webhook …` */
export const webhookCommand = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints and their deliveries"),
  Command.withSubcommands([create, list, disable, enable, rotate, activateSecret, resend, ping, replay, attempts])
)
