# entrypoints: router/chosen router/every_name router/whole
package router

chosen := data.policies[input.policy].allow

every_name contains name if data.policies[name].allow

whole := data.policies
