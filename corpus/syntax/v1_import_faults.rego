package imports

import foo.bar

import data.a[1]

import data.b as input

import data.if

import future.words

import future.keywords.unless

import rego.v9
