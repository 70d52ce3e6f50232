/** Receiving webhooks: verification, deduplication, and adapters to the shapes in which frameworks have requests. */
export { isDepositEvent, isOperationEvent } from "./event/eventData.ts"
export {
  createWebhookReceiver,
  type NodeRequest,
  type NodeResponse,
  type WebhookAnswer,
  type WebhookEvent,
  type WebhookReceiver,
  type WebhookReceiverOptions
} from "./webhook/createWebhookReceiver.ts"
export { type HeadersLike } from "./webhook/rawDelivery.ts"
export { memorySeenEvents, type SeenEvents } from "./webhook/SeenEvents.ts"
export { verifyWebhook, type WebhookDelivery, type WebhookProblem } from "./webhook/verifyWebhook.ts"
export { type DepositEventData, type OperationEventData } from "@bursar/api/webhook/EventData"
export { type EventKind } from "@bursar/api/webhook/eventKinds"
