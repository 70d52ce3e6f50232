import type { Client } from "@bursar/client"
import type { OperatorClient } from "@bursar/client/effect"
import type { Handshake, HandshakeTenant } from "@bursar/cli/config/Handshake"
import type { GrantTrust } from "@bursar/core/grant/verifyChain"
import type { DemoApprover } from "../approvers.ts"
import type { Inbox } from "./Inbox.ts"

/** Who plays the story, and with what: a partner with the client and an endpoint for webhooks, and its operators. */
export interface World {
  readonly handshake: Handshake
  readonly tenant: HandshakeTenant
  /** The partner's side, as any partner has it. */
  readonly client: Client
  readonly operator: OperatorClient
  /** Who approves grants, and what they verify them from. */
  readonly approvers: ReadonlyArray<DemoApprover>
  readonly trust: GrantTrust
  /** Where the partner's webhooks arrive. */
  readonly inbox: Inbox
  /** Sets what this run asks for apart from earlier ones. */
  readonly run: string
}
