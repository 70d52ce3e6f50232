import type { Operation } from "./Operation.ts"

/** Whether the provider has told an outcome that could not be booked. What it says less of since does not take that back. */
export const isDisputed = ({ details }: Operation): boolean => details.disputed === true

/** What is stored of an operation whose outcome is booked, or known again: whatever was disputed is not any more. */
export const noDispute = (operation: Operation): { readonly disputed?: false } =>
  isDisputed(operation) ? { disputed: false } : {}
