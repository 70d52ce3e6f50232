import type { Client } from "@bursar/client"
import type { OperatorClient } from "@bursar/client/effect"
import type { Handshake, HandshakeTenant } from "@bursar/cli/config/Handshake"
import type { Inbox } from "./Inbox.ts"

/** Who plays the story, and with what: a partner with the client and an endpoint for webhooks, and its operators. */
export interface World {
  readonly handshake: Handshake
  readonly tenant: HandshakeTenant
  /** The partner's side, as any partner has it. */
  readonly client: Client
  readonly operator: OperatorClient
  /** Where the partner's webhooks arrive. */
  readonly inbox: Inbox
  /** Sets what this run asks for apart from earlier ones. */
  readonly run: string
}
