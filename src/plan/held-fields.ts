/**
 * Which fields of a node hold expressions or plans, told by types: a walker that names them through these helpers
 * does not compile when a node gets another one.
 */
import type { Datum } from '../types/datum.ts';
import type { TypeRef } from '../types/type.ts';
import type { Expression } from './expression.ts';
import type { OutputColumn, Plan } from './plan.ts';

/** Types that are not looked into: what plans and expressions hold is theirs. */
type Closed = Plan | Expression | Datum | TypeRef | OutputColumn;

type Holds<Value, Wanted> = Value extends Wanted
  ? true
  : Value extends Closed
    ? false
    : Value extends readonly (infer Item)[]
      ? Holds<Item, Wanted>
      : Value extends object
        ? true extends { [Field in keyof Value]-?: Holds<Value[Field], Wanted> }[keyof Value]
          ? true
          : false
        : false;

type HeldField<Node, Wanted> = Node extends object
  ? { [Field in keyof Node]-?: true extends Holds<Node[Field], Wanted> ? Field : never }[keyof Node]
  : never;

type Every<Node, Wanted> = {
  readonly [Field in HeldField<Node, Wanted> & keyof Node]-?:
    | Node[Field]
    | (undefined extends Node[Field] ? undefined : never);
};

/** All fields of a node that hold expressions. */
export type Expressions<Node> = Every<Node, Expression>;

/** All fields of a node that hold plans. */
export type Plans<Node> = Every<Node, Plan>;

type Without<Node, Wanted> = [HeldField<Node, Wanted>] extends [never] ? Node : never;

/** A node that holds no expressions. */
export const withoutExpressions = <Node extends object>(node: Node & Without<Node, Expression>): Node => node;

/** A node that holds no plans. */
export const withoutPlans = <Node extends object>(node: Node & Without<Node, Plan>): Node => node;

/** The node, of which no other fields hold expressions. */
export const holding = <Node extends object, Field extends keyof Node>(
  node: Node,
  ..._fields: [HeldField<Node, Expression>] extends [Field] ? readonly Field[] : never
): Node => node;
