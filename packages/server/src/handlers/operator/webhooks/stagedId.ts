import type { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { createHash } from "node:crypto"

const length = 32

/** What the new secret that waits to be activated goes by: another one as soon as it is replaced, or sealed anew. Null where none waits. */
export const stagedId = ({ nextSecret }: Pick<WebhookEndpoint, "nextSecret">): string | null =>
  nextSecret === null ? null : createHash("sha256").update(nextSecret).digest("hex").slice(0, length)
