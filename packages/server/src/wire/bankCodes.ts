import { iso31661Alpha2ToAlpha3, iso31661Alpha3ToAlpha2 } from "iso-3166"

/** Spaces and dashes are for people. */
export const compact = (text: string): string => text.replace(/[\s-]/gu, "").toUpperCase()

const routingWeights = [3, 7, 1]

/**
 * Whether nine digits are a routing number of the American Bankers Association: their weighted sum is a multiple of ten,
 * and they begin with a district of the Federal Reserve, or the like (00–12, 21–32, 61–72, 80).
 */
export const isRoutingNumber = (text: string): boolean => {
  if (!/^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/u.test(text) || /^0+$/u.test(text)) return false
  const sum = [...text].reduce((total, digit, index) => total + Number(digit) * (routingWeights[index % 3] ?? 0), 0)
  return sum % 10 === 0
}

/** Whether six digits can be a British sort code. Whether a bank has it, only the bank knows. */
export const isSortCode = (text: string): boolean => /^\d{6}$/u.test(text) && text !== "000000"

/** A British account number in its eight digits: older ones have six or seven, and are filled up. Undefined where it is none. */
export const britishAccountNumber = (text: string): string | undefined =>
  /^\d{6,8}$/u.test(text) && !/^0+$/u.test(text) ? text.padStart(8, "0") : undefined

/** The two letters of a country that is given by two or by three; undefined where there is no such country. */
export const countryOf = (text: string): string | undefined => {
  const code = text.toUpperCase()
  if (Object.hasOwn(iso31661Alpha3ToAlpha2, code)) return iso31661Alpha3ToAlpha2[code]
  return Object.hasOwn(iso31661Alpha2ToAlpha3, code) ? code : undefined
}
