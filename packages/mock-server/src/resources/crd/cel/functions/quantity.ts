import { Quantity } from '../../../quantity.ts'
import { QuantityValue } from '../library-values.ts'
import { CelError, type Value } from '../values.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'
import { orderings } from './ordering.ts'

/* Quantities (`apiserver: pkg/cel/library/quantity.go`). */

const text = (value: Value | undefined): string => value as string

const quantity = (value: Value | undefined): Quantity => (value as QuantityValue).quantity
const maxInt = (1n << 63n) - 1n
/** An amount that was cut to the largest there is has no integer. */
const fitsInt = (value: Quantity): boolean => value.isInteger && value.value < maxInt && value.value > -maxInt

const plusQuantity =
  (sign: 1 | -1): Implementation =>
  ([a, b]) => {
    const other = typeof b === 'bigint' ? new Quantity(b * 1_000_000_000n, 'DecimalSI') : quantity(b)
    return new QuantityValue(sign === 1 ? quantity(a).add(other) : quantity(a).subtract(other))
  }

export const quantityFunctions: readonly FunctionDecl[] = [
  declare('quantity', 'string_to_quantity (string) quantity', ([value]) => {
    try {
      return new QuantityValue(Quantity.parse(text(value)))
    } catch (error) {
      return new CelError((error as Error).message)
    }
  }),
  declare('isQuantity', 'is_quantity_string (string) bool', ([value]) => Quantity.tryParse(text(value)) !== undefined),
  declare('sign', 'quantity_sign (quantity) int', ([value]) => {
    const { nano } = quantity(value)
    return nano > 0n ? 1n : nano < 0n ? -1n : 0n
  }),
  ...orderings('quantity', (a, b) => quantity(a).compare(quantity(b))),
  declare('asApproximateFloat', 'quantity_get_float quantity.() double', ([value]) => {
    const { nano } = quantity(value)
    return Number(nano / 1_000_000_000n) + Number(nano % 1_000_000_000n) / 1e9
  }),
  declare('asInteger', 'quantity_get_int quantity.() int', ([value]) =>
    fitsInt(quantity(value)) ? quantity(value).value : new CelError('cannot convert value to integer'),
  ),
  declare('isInteger', 'quantity_is_integer quantity.() bool', ([value]) => fitsInt(quantity(value))),
  declare(
    'add',
    'quantity_add quantity.(quantity) quantity\nquantity_add_int quantity.(int) quantity',
    plusQuantity(1),
  ),
  declare(
    'sub',
    'quantity_sub quantity.(quantity) quantity\nquantity_sub_int quantity.(int) quantity',
    plusQuantity(-1),
  ),
]
