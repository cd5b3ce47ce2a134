//! Each policy written by hand over structs that borrow from the input: what code that knows its
//! policy and its input can reach. Data is read once into maps made for the question.
//!
//! A scenario is a type that says how its data and inputs are read and how a question is answered.
//! k8s has none: its input is too loose for structs to tell anything.

mod access;
mod business;

use std::{hint::black_box, rc::Rc};

use serde::{Deserialize, Serialize};

use crate::harness::{Prepared, Scenario, timed};

/// A policy over typed data and inputs.
trait Typed {
    type Data: Deserialize<'static> + 'static;
    type Input: Deserialize<'static> + 'static;
    type Answer: Serialize;

    fn eval(data: &Self::Data, input: &Self::Input) -> Self::Answer;
}

pub fn prepare(scenario: &Scenario) -> Result<Option<Prepared>, String> {
    let prepare = match scenario.name.as_str() {
        "rbac" => prepare_as::<access::Rbac>,
        "rbac-data" => prepare_as::<access::RbacData>,
        "abac" => prepare_as::<access::Abac>,
        "rules1000" => prepare_as::<access::Rules>,
        "lookup1m" => prepare_as::<access::Lookup>,
        "iam" => prepare_as::<access::Iam>,
        "gateway" => prepare_as::<business::Gateway>,
        "spend" => prepare_as::<business::Spend>,
        "share" => prepare_as::<business::Share>,
        "entitle" => prepare_as::<business::Entitle>,
        _ => return Ok(None),
    };
    prepare(scenario).map(Some)
}

fn prepare_as<T: Typed>(scenario: &Scenario) -> Result<Prepared, String> {
    let (data, prep_ms) = timed(|| serde_json::from_slice::<T::Data>(scenario.data));
    let data = Rc::new(data.map_err(|it| it.to_string())?);
    let other = Rc::clone(&data);
    let read = |it: &'static [u8]| serde_json::from_slice::<T::Input>(it).expect("inputs fit their type");
    let inputs: Vec<T::Input> = scenario.inputs.iter().map(|it| read(it)).collect();
    Ok(Prepared {
        prep_ms,
        parsed: Box::new(move |place| {
            black_box(T::eval(&data, black_box(&inputs[place])));
        }),
        json: Box::new(move |input, out| {
            let input = serde_json::from_slice::<T::Input>(input).expect("inputs fit their type");
            serde_json::to_writer(out, &T::eval(&other, &input)).expect("an answer can be written");
        }),
    })
}
