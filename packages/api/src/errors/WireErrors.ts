import { Schema } from "effect"
import { errorBodyFields } from "./ErrorBody.ts"

/** 400: the request cannot be parsed. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(errorBodyFields) {
  readonly _tag = "BadRequest"
  override get message() {
    return this.error.message
  }
}

/** 401: the key or the signature is missing or not valid. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(errorBodyFields) {
  readonly _tag = "Unauthorized"
  override get message() {
    return this.error.message
  }
}

/** 403: the caller is known, or its address is, and may not do this. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(errorBodyFields) {
  readonly _tag = "Forbidden"
  override get message() {
    return this.error.message
  }
}

/** 404: nothing there for this tenant. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(errorBodyFields) {
  readonly _tag = "NotFound"
  override get message() {
    return this.error.message
  }
}

/** 405: the path exists under other methods. */
export class MethodNotAllowed extends Schema.Error<MethodNotAllowed>("MethodNotAllowed")(errorBodyFields) {
  readonly _tag = "MethodNotAllowed"
  override get message() {
    return this.error.message
  }
}

/** 409: the state of things forbids it. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(errorBodyFields) {
  readonly _tag = "Conflict"
  override get message() {
    return this.error.message
  }
}

/** 413: the body is too large. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(errorBodyFields) {
  readonly _tag = "PayloadTooLarge"
  override get message() {
    return this.error.message
  }
}

/** 415: the body is not JSON. */
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(errorBodyFields) {
  readonly _tag = "UnsupportedMediaType"
  override get message() {
    return this.error.message
  }
}

/** 422: the request is refused, by the contract or by a rule about money. */
export class Unprocessable extends Schema.Error<Unprocessable>("Unprocessable")(errorBodyFields) {
  readonly _tag = "Unprocessable"
  override get message() {
    return this.error.message
  }
}

/** 429: too many requests. */
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(errorBodyFields) {
  readonly _tag = "TooManyRequests"
  override get message() {
    return this.error.message
  }
}

/** 500: a defect of the service. */
export class InternalError extends Schema.Error<InternalError>("InternalError")(errorBodyFields) {
  readonly _tag = "InternalError"
  override get message() {
    return this.error.message
  }
}

/** 503: not now. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(errorBodyFields) {
  readonly _tag = "Unavailable"
  override get message() {
    return this.error.message
  }
}

/** The error class of each status. */
export const errorClasses = {
  400: BadRequest,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  405: MethodNotAllowed,
  409: Conflict,
  413: PayloadTooLarge,
  415: UnsupportedMediaType,
  422: Unprocessable,
  429: TooManyRequests,
  500: InternalError,
  503: Unavailable
} as const
